#include "emulate/timing/trace_source.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/format.h"
#include "emulate/cluster_runner.h"
#include "emulate/session.h"
#include "emulate/timing/trace_builder.h"

namespace burin {

struct TraceSource::State {
  const Kernel* kernel = nullptr;
  TraceOptions options;
  RunOptions run;
  std::unique_ptr<Session> session;
  std::uint64_t executed = 0;
  std::vector<Fault> faults;
};

TraceSource::TraceSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceSource::~TraceSource() = default;

Result<std::unique_ptr<TraceSource>> TraceSource::open(const Kernel& kernel, const Launch& launch,
                                                       TraceOptions options) {
  auto state = std::make_unique<State>();
  state->kernel = &kernel;
  state->run.trips = options.trips;
  state->run.check_shared = false;
  state->run.most_instructions = options.most_instructions;
  state->options = std::move(options);
  Result<std::unique_ptr<Session>> session = open_session(kernel, launch, state->run);
  if (!session) return session.error();
  state->session = std::move(*session);
  state->session->grid.heard = true;
  state->session->grid.products = false;  // no address or branch hangs on one, as a rule
  return std::unique_ptr<TraceSource>(new TraceSource(std::move(state)));
}

Result<std::vector<BlockTrace>> TraceSource::trace(std::span<const std::uint64_t> blocks) {
  State& s = *state_;
  Grid& grid = s.session->grid;
  const Dims size = grid.launch->grid;
  const Dims each = grid.cluster;
  // The cluster a block is in, and the block that stands first in it.
  const auto cluster_of_block = [&](std::uint64_t block) {
    const std::uint64_t x = block % size.x / each.x;
    const std::uint64_t y = block / size.x % size.y / each.y;
    const std::uint64_t z = block / size.x / size.y / each.z;
    return x + size.x / each.x * (y + size.y / each.y * z);
  };
  std::vector<std::uint64_t> wanted;
  for (const std::uint64_t block : blocks) wanted.push_back(cluster_of_block(block));
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());

  grid.executed = 0;
  std::atomic<std::size_t> begun{0};
  std::mutex mutex;
  std::map<std::uint64_t, BlockTrace> traces;  // by cluster
  const auto work = [&] {
    TraceBuilder builder(*s.kernel, s.options.unknown);
    ClusterRunner runner(grid, *s.session->program, &builder);
    const auto next = [&]() -> std::optional<std::uint64_t> {
      const std::size_t at = begun++;
      if (at >= wanted.size()) return std::nullopt;
      return wanted[at];
    };
    runner.run(next, [] {});
    const std::lock_guard lock(mutex);
    for (BlockTrace& t : builder.take()) {
      s.executed += t.steps;
      const std::uint64_t cluster = cluster_of_block(t.linear);
      traces.emplace(cluster, std::move(t));
    }
  };
  const std::size_t threads = std::min<std::size_t>(
      wanted.size(), s.options.threads != 0 ? s.options.threads
                                            : std::max(1u, std::thread::hardware_concurrency()));
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work);
    work();
  }
  for (Fault& f : grid.faults.take()) s.faults.push_back(std::move(f));
  if (const std::optional<Error> stopped = grid.error()) return *stopped;
  std::vector<BlockTrace> out;
  for (const std::uint64_t block : blocks) {
    const auto at = traces.find(cluster_of_block(block));
    if (at == traces.end()) return Error{fmt::format("block {} did not come to its end", block)};
    out.push_back(at->second);
  }
  return out;
}

std::uint64_t TraceSource::executed() const {
  return state_->executed;
}
const std::vector<Fault>& TraceSource::faults() const {
  return state_->faults;
}
const std::vector<std::uint64_t>& TraceSource::buffers() const {
  return state_->session->buffers;
}

}  // namespace burin
