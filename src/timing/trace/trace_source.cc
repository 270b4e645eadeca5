#include "timing/trace/trace_source.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "base/format.h"
#include "emulate/execute/cluster_runner.h"
#include "emulate/execute/session.h"
#include "emulate/state/block.h"
#include "emulate/state/system_calls.h"
#include "emulate/state/warp.h"
#include "read/isa/traits.h"
#include "timing/trace/needed_values.h"
#include "timing/trace/trace_builder.h"

namespace burin::timing {

struct TraceSource::State {
  const read::Kernel* kernel = nullptr;
  TraceOptions options;
  emulate::RunOptions run;
  std::unique_ptr<emulate::Session> session;
  std::uint64_t executed = 0;
  std::uint64_t trace_bytes = 0;
  std::vector<emulate::Fault> faults;
  emulate::CounterLog recent;  // counters that the current block has added to
  std::unordered_map<std::uint64_t, emulate::CounterWord> first;  // initial values of all counters

  std::uint64_t counter(std::uint64_t address, unsigned bytes) const {
    emulate::Datum d;
    std::uint64_t value = 0;
    if (session->grid.memory->read(address, bytes, d) == emulate::MemoryStatus::kDone) {
      std::memcpy(&value, d.bytes.data(), bytes);
    }
    return value;
  }
  void set_counter(std::uint64_t address, unsigned bytes, std::uint64_t value) {
    emulate::Datum d;
    std::memcpy(d.bytes.data(), &value, bytes);
    session->grid.memory->write(address, bytes, d);
  }
  // A block that was executed alone contributes only its own additions.
  void settle_counters() {
    for (const auto& [address, word] : recent) {
      first.try_emplace(address, word);
      const std::uint64_t added = counter(address, word.bytes) - word.before;
      const std::uint64_t copies = session->grid.add_copies;
      if (session->grid.exact_copies) {  // each copy acts as the first
        set_counter(address, word.bytes, word.before);
        continue;
      }
      set_counter(address, word.bytes, word.before + (added + copies / 2) / copies);
    }
    recent.clear();
  }

  // Limits of the next call, including what was executed before.
  void set_limits() {
    const std::uint64_t before = session->grid.executed;
    run.most_instructions = options.most_instructions == 0 ? 0 : before + options.most_instructions;
    if (options.most_in_all != 0 &&
        (run.most_instructions == 0 || run.most_instructions > options.most_in_all)) {
      run.most_instructions = options.most_in_all;
    }
  }
  // The remaining bytes for each of several builders; 0: no limit. The first block must leave room
  // for the blocks that it is compared with.
  std::uint64_t bytes_left(std::size_t builders) const {
    if (options.most_bytes == 0) return 0;
    const std::uint64_t left = std::min(
        options.most_bytes - std::min(trace_bytes, options.most_bytes), options.most_bytes / 2);
    return std::max<std::uint64_t>(1, left / std::max<std::size_t>(1, builders));
  }
  // The number of threads for this many clusters; one with counters, which are updated after each
  // block.
  std::size_t threads_for(std::size_t clusters) const {
    const unsigned allowed =
        options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    return session->grid.counters != nullptr ? 1 : std::min<std::size_t>(clusters, allowed);
  }

  // The cluster a block is in.
  std::uint64_t cluster_of(std::uint64_t block) const {
    const launch::Dims size = session->grid.launch->grid;
    const launch::Dims each = session->grid.cluster;
    const std::uint64_t x = block % size.x / each.x;
    const std::uint64_t y = block / size.x % size.y / each.y;
    const std::uint64_t z = block / size.x / size.y / each.z;
    return x + size.x / each.x * (y + size.y / each.y * z);
  }
  std::vector<std::uint64_t> clusters_of(std::span<const std::uint64_t> blocks) const {
    std::vector<std::uint64_t> clusters;
    for (const std::uint64_t block : blocks) clusters.push_back(cluster_of(block));
    return clusters;
  }
};

namespace {

Error did_not_end(std::uint64_t block) {
  return {fmt::format("block {} did not finish", block)};
}

// One entry per instruction; 1: its value is skipped.
std::vector<std::uint8_t> leave_out_values(const read::Kernel& kernel, emulate::Session& session) {
  emulate::Program& program = *session.program;
  const auto with = [&](const read::Kernel& k) {
    std::vector<std::uint8_t> unneeded =
        unneeded_values(k, program.constants, *session.grid.memory);
    leave_out(unneeded, program);
    return unneeded;
  };
  if (!kernel.dependences.empty()) return with(kernel);
  return with(read::build_from(kernel.instructions, *kernel.image, *kernel.function));
}

// Whether a block's behaviour may depend on earlier writes of other blocks, so that the order of
// execution matters.
bool hangs_on_order(const read::Kernel& kernel, const std::vector<std::uint8_t>& unneeded) {
  bool reads = false;
  bool writes = false;
  for (std::size_t k = 0; k < kernel.instructions.size(); ++k) {
    const read::Instruction& i = kernel.instructions[k];
    if (!read::may_be_global(i)) continue;
    writes = writes || i.opcode->stores || read::is_atomic(i);
    if (!unneeded.empty() && unneeded[k] != 0) continue;
    reads = reads || read::is_returning_atomic(i) ||
            (read::is_plain_load(i) && !read::is_read_only_load(i));
  }
  return reads && writes;
}

// Counts the work of each block; for clusters, of the first block.
class WorkCounter : public emulate::Listener {
 public:
  void block_started(const emulate::Block& block) override {
    warps_[block.linear].resize(block.warps.size());
  }
  void executed(const emulate::Event& event) override {
    const emulate::Block& block = *event.warp->block;
    if (block.linear != recent_block_) {
      recent_ = &warps_.at(block.linear);
      recent_block_ = block.linear;
    }
    ++(*recent_)[event.warp->index];
  }
  void block_ended(const emulate::Block& block) override {
    recent_block_ = ~std::uint64_t{0};
    const auto at = warps_.find(block.linear);
    std::vector<double> warps(at->second.begin(), at->second.end());
    const auto run =
        static_cast<double>(std::ranges::count_if(warps, [](double w) { return w > 0; }));
    BlockWork work = work_of_warps(std::move(warps));
    executed_ += work.steps;
    if (run > 0) work.steps *= static_cast<double>(at->second.size()) / run;
    if (block.rank == 0) done_.emplace_back(block.linear, work);
    warps_.erase(at);
  }
  const std::vector<std::pair<std::uint64_t, BlockWork>>& done() const { return done_; }
  std::uint64_t executed() const { return static_cast<std::uint64_t>(executed_); }

 private:
  double executed_ = 0;                                        // steps
  std::map<std::uint64_t, std::vector<std::uint64_t>> warps_;  // steps of each warp, by block
  std::vector<std::uint64_t>* recent_ = nullptr;
  std::uint64_t recent_block_ = ~std::uint64_t{0};
  std::vector<std::pair<std::uint64_t, BlockWork>> done_;
};

bool writes_globally(const emulate::Warp& warp) {
  return std::any_of(warp.accesses.begin(), warp.accesses.begin() + warp.access_count,
                     [](const emulate::Access& access) {
                       return access.space == read::Space::kGlobal &&
                              (access.store || access.atomic) && access.lanes != 0;
                     });
}

}  // namespace

TraceSource::TraceSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceSource::~TraceSource() = default;

Result<std::unique_ptr<TraceSource>> TraceSource::open(const read::Kernel& kernel,
                                                       const launch::Launch& launch,
                                                       TraceOptions options) {
  auto state = std::make_unique<State>();
  state->kernel = &kernel;
  state->run.trips = options.trips;
  state->run.check_shared = false;
  state->run.most_of_block = options.most_of_block;
  state->run.heartbeat = options.heartbeat;
  state->options = std::move(options);
  Result<std::unique_ptr<emulate::Session>> session =
      emulate::open_session(kernel, launch, state->run);
  if (!session) return session.error();
  state->session = std::move(*session);
  state->session->grid.heard = true;
  state->session->grid.executed = state->options.spent;
  state->session->grid.products = false;  // addresses and branches rarely depend on matrix products
  // The code does not show what calls of driver functions read.
  bool calls_driver = false;
  for (unsigned c = 0; c < emulate::kSystemCalls; ++c) {
    calls_driver |= emulate::calls(*kernel.image, static_cast<emulate::SystemCall>(c));
  }
  std::vector<std::uint8_t> unneeded;
  if (!state->options.all_values && !calls_driver)
    unneeded = leave_out_values(kernel, *state->session);
  if (hangs_on_order(kernel, unneeded)) state->options.threads = 1;
  return std::unique_ptr<TraceSource>(new TraceSource(std::move(state)));
}

// Runs these clusters, each once, on the allowed number of threads. Each thread has its own
// listener, whose result is collected under a lock.
Result<void> TraceSource::execute(
    std::vector<std::uint64_t> clusters,
    const std::function<std::unique_ptr<emulate::Listener>()>& make_listener,
    const std::function<void(emulate::Listener&)>& collect, std::uint32_t one_warp_in) {
  State& s = *state_;
  emulate::Grid& grid = s.session->grid;
  std::sort(clusters.begin(), clusters.end());
  clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
  s.set_limits();
  std::atomic<std::size_t> begun{0};
  std::mutex mutex;
  const auto work = [&] {
    const std::unique_ptr<emulate::Listener> listener = make_listener();
    emulate::ClusterRunner runner(grid, *s.session->program, listener.get());
    runner.run_one_warp_in(one_warp_in);
    const auto next = [&]() -> std::optional<std::uint64_t> {
      const std::size_t at = begun++;
      if (at >= clusters.size()) return std::nullopt;
      return clusters[at];
    };
    const auto ended = [&] {
      if (grid.counters != nullptr) s.settle_counters();  // only with one thread
    };
    emulate::within_memory(grid, [&] { runner.run(next, ended); });
    const std::lock_guard lock(mutex);
    collect(*listener);
  };
  const std::size_t threads = s.threads_for(clusters.size());
  grid.workers = static_cast<unsigned>(std::max<std::size_t>(1, threads));
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work);
    work();
  }
  for (emulate::Fault& f : grid.faults.take()) s.faults.push_back(std::move(f));
  if (const std::optional<Error> stopped = grid.error()) return *stopped;
  return {};
}

Result<std::vector<BlockTrace>> TraceSource::trace(std::span<const std::uint64_t> blocks) {
  State& s = *state_;
  std::map<std::uint64_t, BlockTrace> traces;  // by cluster
  const std::uint64_t most_bytes = s.bytes_left(s.threads_for(blocks.size()));
  const Result<void> done = execute(
      s.clusters_of(blocks),
      [&] {
        return std::make_unique<TraceBuilder>(*s.kernel, s.options.unknown, most_bytes,
                                              s.session->grid.memory->extents());
      },
      [&](emulate::Listener& listener) {
        s.trace_bytes += static_cast<TraceBuilder&>(listener).bytes();
        for (BlockTrace& t : static_cast<TraceBuilder&>(listener).take()) {
          s.executed += t.steps;
          traces.emplace(s.cluster_of(t.linear), std::move(t));
        }
      });
  if (!done) return done.error();
  std::map<std::uint64_t, std::size_t> asked;  // number of requested blocks, by cluster
  for (const std::uint64_t block : blocks) ++asked[s.cluster_of(block)];
  std::vector<BlockTrace> out;
  for (const std::uint64_t block : blocks) {
    const std::uint64_t cluster = s.cluster_of(block);
    const auto at = traces.find(cluster);
    if (at == traces.end()) return did_not_end(block);
    if (--asked[cluster] == 0) {
      out.push_back(std::move(at->second));
    } else {
      out.push_back(at->second);
    }
  }
  return out;
}

Result<std::vector<BlockWork>> TraceSource::count(std::span<const std::uint64_t> blocks,
                                                  std::uint32_t one_warp_in) {
  State& s = *state_;
  std::map<std::uint64_t, BlockWork> works;  // by cluster
  const Result<void> done = execute(
      s.clusters_of(blocks), [] { return std::make_unique<WorkCounter>(); },
      [&](emulate::Listener& listener) {
        const WorkCounter& counter = static_cast<WorkCounter&>(listener);
        s.executed += counter.executed();
        for (const auto& [block, work] : counter.done()) works.emplace(s.cluster_of(block), work);
      },
      one_warp_in);
  if (!done) return done.error();
  std::vector<BlockWork> out;
  for (const std::uint64_t block : blocks) {
    const auto at = works.find(s.cluster_of(block));
    if (at == works.end()) return did_not_end(block);
    out.push_back(at->second);
  }
  return out;
}

std::vector<std::uint64_t> TraceSource::find_active(std::span<const std::uint64_t> blocks,
                                                    std::uint64_t most) {
  State& s = *state_;
  emulate::ClusterRunner runner(s.session->grid, *s.session->program, nullptr);
  const std::uint64_t threads = s.session->grid.launch->block.total();
  runner.run_one_warp_in(
      static_cast<std::uint32_t>((threads + emulate::kWarpLanes - 1) / emulate::kWarpLanes));
  emulate::Tally tally;
  tally.counts.resize(s.session->program->ops.size());
  const auto does_anything = [&](emulate::Warp& warp) {
    for (std::uint64_t step = 0; step < most && !s.session->grid.stopped; ++step) {
      const emulate::StepResult result = emulate::step(warp, tally, nullptr);
      ++s.executed;
      warp.copied.clear();
      warp.changed.clear();
      if (result == emulate::StepResult::kEnded) return false;
      if (result == emulate::StepResult::kWaiting || writes_globally(warp)) return true;
    }
    return true;
  };
  std::vector<std::uint64_t> active;
  for (const std::uint64_t block : blocks) {
    std::unique_ptr<emulate::Cluster> cluster = runner.begin(block);
    for (const auto& warp : cluster->blocks[0]->warps) {
      if (warp->splits.empty() || !does_anything(*warp)) continue;
      active.push_back(block);
      break;
    }
    runner.take_back(std::move(cluster));
  }
  s.session->grid.faults.take();  // discard faults of warps that were stopped early
  return active;
}

Result<ConcurrentResult> TraceSource::run_concurrently(std::span<const std::uint64_t> blocks,
                                                       const std::vector<TimedOp>& code,
                                                       const machine::Machine& machine,
                                                       const ConcurrentOptions& options) {
  State& s = *state_;
  emulate::Grid& grid = s.session->grid;
  TraceBuilder builder(*s.kernel, s.options.unknown, s.bytes_left(1),
                       s.session->grid.memory->extents());
  ConcurrentOptions limited = options;
  if (s.options.most_in_all != 0) {
    limited.most =
        std::min(limited.most, s.options.most_in_all -
                                   std::min<std::uint64_t>(grid.executed, s.options.most_in_all));
  }
  ConcurrentResult run = ConcurrentRun(*s.session, code, machine, limited).run(blocks, builder);
  for (const auto& [address, word] : s.recent) s.first.try_emplace(address, word);
  s.recent.clear();
  s.executed += run.executed;
  grid.executed += run.executed;
  s.trace_bytes += builder.bytes();
  for (emulate::Fault& f : grid.faults.take()) s.faults.push_back(std::move(f));
  if (const std::optional<Error> stopped = grid.error()) return *stopped;
  return run;
}

void TraceSource::share_counters(std::uint64_t copies, bool exact) {
  state_->session->grid.add_copies = copies;
  state_->session->grid.exact_copies = exact;
  state_->session->grid.add_jitter = 0;
  state_->session->grid.counters = &state_->recent;
}

void TraceSource::advance_counters_to_last(double blocks_so_far, double blocks) {
  for (const auto& [address, word] : state_->first) {
    const auto added = static_cast<double>(state_->counter(address, word.bytes) - word.before);
    const double each = std::round(added / blocks_so_far);
    state_->set_counter(address, word.bytes,
                        word.before + static_cast<std::uint64_t>(each * (blocks - 1)));
  }
}

void TraceSource::advance_counters(double times) {
  for (const auto& [address, word] : state_->first) {
    const auto added =
        static_cast<double>(state_->counter(address, word.bytes) - word.before) * times;
    state_->set_counter(address, word.bytes,
                        word.before + static_cast<std::uint64_t>(std::llround(added)));
  }
}

std::uint64_t TraceSource::executed() const {
  return state_->executed;
}
std::vector<std::string> TraceSource::system_calls() const {
  std::vector<std::string> names;
  for (unsigned c = 0; c < emulate::kSystemCalls; ++c) {
    if ((state_->session->grid.system_calls >> c & 1) == 0) continue;
    names.emplace_back(emulate::name(static_cast<emulate::SystemCall>(c)));
  }
  return names;
}
std::uint64_t TraceSource::spent() const {
  return state_->session->grid.executed;
}
const std::vector<emulate::Fault>& TraceSource::faults() const {
  return state_->faults;
}
const std::vector<std::uint64_t>& TraceSource::buffers() const {
  return state_->session->buffers;
}

}  // namespace burin::timing
