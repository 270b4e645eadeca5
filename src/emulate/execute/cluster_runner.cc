#include "emulate/execute/cluster_runner.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/format.h"
#include "base/hash.h"
#include "base/text.h"
#include "emulate/execute/spin.h"
#include "emulate/state/split.h"

namespace burin::emulate {

namespace {

// Instructions that a warp runs before another of its block has its turn; long, because going
// through one warp's registers at a time is what the caches like.
constexpr std::uint64_t kWarpSlice = 20000;
// … a split, while another of its warp is ready.
constexpr std::uint64_t kSplitSlice = 500;
// the same if its cluster was found to wait for others: checks whether it still does
constexpr std::uint64_t kWaitingSlice = 256;
// Instructions of a cluster before it is checked for waiting, which means that it has stored
// nothing. A cluster that has stored for that many instructions may still be waiting.
constexpr std::uint64_t kClusterSlice = 1 << 14;
constexpr unsigned kMaxSlices = 64;
// Instructions whose time a branch on an Unknown condition takes.
constexpr std::uint64_t kBranchCost = 64;
// Elements that a bulk reduction updates in the time of an instruction.
constexpr std::uint64_t kReducedPerInstruction = 2;
constexpr std::size_t kMaxBytesAside = std::size_t{1} << 30;  // of all workers
// Rounds through all clusters under way, none of which ended, before it is looked whether any can.
constexpr std::uint64_t kMaxRounds = 256;

std::size_t bytes_of(const Cluster& cluster) {
  const Block& block = *cluster.blocks[0];
  std::size_t bytes = block.shared.size();
  for (const auto& warp : block.warps) {
    bytes += sizeof(Warp) + warp->local.size() * (sizeof(Lanes) + sizeof(Warp::LocalBytes));
  }
  return cluster.blocks.size() * bytes;
}

// Uniform registers from the first to the last that an instruction names, and the words after it.
std::size_t uniform_slots(const read::Kernel& kernel) {
  constexpr std::size_t kMaxWords = 8;  // of one operand
  std::size_t slots = 0;
  for (const read::Instruction& i : kernel.instructions) {
    for (const read::Operand& o : i.operands()) {
      if (o.written && o.is_register(read::RegisterFile::kUniform)) {
        slots = std::max<std::size_t>(slots, o.index + kMaxWords);
      }
    }
  }
  return std::min<std::size_t>(slots, kSlots - kUniformSlot);
}

std::string_view waits_for(Split::State state) {
  switch (state) {
    case Split::State::kBarrier:
      return "at a barrier";
    case Split::State::kConverging:
    case Split::State::kGathering:
      return "for other lanes of its warp";
    default:
      return "for an mbarrier";
  }
}

}  // namespace

ClusterRunner::ClusterRunner(Grid& grid, const Program& program, Listener* listener)
    : grid_(grid),
      program_(program),
      listener_(listener),
      uniform_slots_(uniform_slots(*program.kernel)),
      has_bulk_copies_(std::ranges::any_of(program.kernel->instructions, [](const auto& i) {
        return i.known() && i.opcode->pipe == read::Pipe::kBulk;
      })) {
  tally_.counts.resize(program.ops.size());
}

void ClusterRunner::begin_block(Block& block, launch::Dims index) {
  const launch::Launch& launch = *grid_.launch;
  block.grid = &grid_;
  block.index = index;
  block.linear =
      index.x + std::uint64_t{launch.grid.x} * (index.y + std::uint64_t{launch.grid.y} * index.z);
  block.threads = static_cast<std::uint32_t>(launch.block.total());
  block.barriers = {};
  block.mbarrier_clocks.clear();
  block.cluster_clock = {};
  block.shared.reset(grid_.shared_bytes, grid_.shared_reserved);
  const std::uint32_t warps = (block.threads + kWarpLanes - 1) / kWarpLanes;
  while (block.warps.size() < warps) {
    // Registers that the kernel does not have are never touched: their pages cost nothing.
    block.warps.push_back(std::make_unique_for_overwrite<Warp>());
    std::memset(&block.warps.back()->slots[kZeroSlot], 0, (kSlots - kZeroSlot) * sizeof(Lanes));
  }
  // Any, so that no pattern of the grid is met again and again.
  const std::uint64_t drawn = fibonacci_hash(block.linear) >> 40;
  for (std::uint32_t w = 0; w < warps; ++w) {
    Warp& warp = *block.warps[w];
    if ((w + drawn) % one_warp_in_ != 0) {
      warp.splits.clear();
      continue;
    }
    // An unwritten register is 0: the hardware does not guarantee it, but behaves so.
    const std::size_t used = std::min<std::size_t>(program_.kernel->function->registers, kZeroSlot);
    std::memset(warp.slots.data(), 0, (used == 0 ? kZeroSlot : used) * sizeof(Lanes));
    std::memset(&warp.slots[kUniformSlot], 0, uniform_slots_ * sizeof(Lanes));
    warp.unknown = {};
    warp.predicates = {};
    warp.predicates[kTrueSlot] = kAllLanes;
    warp.predicate_unknown = {};
    warp.convergence = {};
    const std::uint32_t threads = std::min(kWarpLanes, block.threads - kWarpLanes * w);
    warp.live = threads == kWarpLanes ? kAllLanes : (Mask{1} << threads) - 1;
    warp.splits.assign(1, Split{.pc = 0, .lanes = warp.live});
    warp.current = 0;
    warp.program = &program_;
    warp.block = &block;
    warp.unknown_count = &tally_.unknown;
    warp.index = w;
    warp.clock = {};
    warp.clock[w % warp.clock.size()] = 1;
    warp.local.clear();
    warp.local_known.clear();
    warp.cluster_arrivals = 0;
    warp.kept = 0;
    warp.cycles = 0;
    warp.wait_began.reset();
    warp.product_groups = warp.group_arrivals = 0;
    warp.barrier_result = 0;
    warp.barrier_result_unknown = false;
    warp.yielded = false;
    warp.changed_by_atomic = false;
  }
  if (listener_ != nullptr) listener_->block_started(block);
}

std::unique_ptr<Cluster> ClusterRunner::begin(std::uint64_t number) {
  std::unique_ptr<Cluster> cluster = spare_ ? std::move(spare_) : std::make_unique<Cluster>();
  const launch::Dims& size = grid_.cluster;
  const launch::Dims& grid = grid_.launch->grid;
  const launch::Dims clusters{grid.x / size.x, grid.y / size.y, grid.z / size.z};
  const launch::Dims at{static_cast<std::uint32_t>(number % clusters.x),
                        static_cast<std::uint32_t>(number / clusters.x % clusters.y),
                        static_cast<std::uint32_t>(number / clusters.x / clusters.y)};
  while (cluster->blocks.size() < size.total()) {
    cluster->blocks.push_back(std::make_unique<Block>());
  }
  for (std::uint32_t rank = 0; rank < size.total(); ++rank) {
    Block& block = *cluster->blocks[rank];
    block.cluster = cluster.get();
    block.rank = rank;
    begin_block(block, {at.x * size.x + rank % size.x, at.y * size.y + rank / size.x % size.y,
                        at.z * size.z + rank / size.x / size.y});
  }
  cluster->phase = 0;
  cluster->waiting = false;
  cluster->executed = 0;
  return cluster;
}

// Runs the warp until it waits, ends or has had its turn. False when it has ended.
bool ClusterRunner::run_warp(Warp& warp, std::uint64_t turn, std::uint64_t& executed) {
  wake(warp);
  std::uint64_t split_turn = kSplitSlice;
  StepResult result = StepResult::kRan;
  while (turn != 0 && !grid_.stopped.load(std::memory_order_relaxed)) {
    result = step(warp, tally_, listener_);
    if (result == StepResult::kWaiting) break;
    --turn;
    ++executed;
    if (result == StepResult::kEnded) break;
    if (--split_turn == 0) {
      split_turn = kSplitSlice;
      if (warp.splits.size() > 1) give_way(warp);
    }
  }
  executed += std::exchange(warp.reduced, 0) / kReducedPerInstruction;
  if (std::exchange(warp.changed_by_atomic, false)) tally_.wrote = true;
  return result != StepResult::kEnded;
}

ClusterRunner::Outcome ClusterRunner::run_for_a_while(Cluster& cluster) {
  std::uint64_t slice = 0;  // instructions in it so far
  unsigned slices = 0;
  tally_.stored = false;
  for (;;) {
    std::uint64_t executed = 0;
    bool alive = false;
    for (const auto& block : cluster.blocks) {
      for (const auto& warp : block->warps) {
        if (warp->splits.empty()) continue;
        if (run_warp(*warp, cluster.waiting ? kWaitingSlice : kWarpSlice, executed)) alive = true;
      }
    }
    if (std::exchange(tally_.wrote, false)) ++grid_.writes;
    check_limits(cluster, executed);
    if (grid_.stopped) return Outcome::kStopped;
    if (!alive) return Outcome::kEnded;
    if (executed == 0) {
      if (release_left_behind(cluster)) continue;
      stop_deadlocked(cluster);
      return Outcome::kStopped;
    }
    if (tally_.stored) cluster.waiting = false;
    slice += executed;
    if (slice < kClusterSlice && !cluster.waiting) continue;
    if (!tally_.stored || ++slices > kMaxSlices) {
      cluster.waiting = true;
      return Outcome::kWaiting;
    }
    slice = 0;
    tally_.stored = false;
  }
}

void ClusterRunner::check_limits(Cluster& cluster, std::uint64_t executed) {
  const RunOptions& options = *grid_.options;
  // Both sides of a branch on an Unknown condition are executed, with the registers restored.
  const std::uint64_t branches = tally_.unknown.branches;
  executed += kBranchCost * (branches - std::exchange(branches_, branches));
  const std::uint64_t all = grid_.executed.fetch_add(executed) + executed;
  cluster.executed += executed;
  if (options.heartbeat) options.heartbeat(all);
  if (options.most_instructions != 0 && all > options.most_instructions) {
    stop_endless(cluster, fmt::format("the kernel did not finish within {} warp instructions "
                                      "(--max-instructions)",
                                      with_commas(options.most_instructions)));
  } else if (options.most_of_block != 0 && cluster.executed > options.most_of_block) {
    stop_endless(cluster, fmt::format("block {} did not finish within {} warp instructions "
                                      "(--max-instructions sets another limit)",
                                      launch::to_string(cluster.blocks[0]->index),
                                      with_commas(options.most_of_block)));
  } else if (const std::uint64_t most = most_without_end(); most != 0 && all > grid_.ended + most) {
    stop_endless(cluster, fmt::format("no block has finished within the last {} warp instructions "
                                      "(--max-instructions sets another limit)",
                                      with_commas(most)));
  }
}

// Blocks that wait for each other take turns, so that each has only a part of the instructions.
std::uint64_t ClusterRunner::most_without_end() const {
  constexpr std::uint64_t kBlocks = 10;
  return grid_.options->most_of_block * std::max<std::uint64_t>(kBlocks, grid_.workers + 1);
}

// A warp of the cluster that does not only wait for others, if there is one. Null: all have ended.
const Warp* ClusterRunner::busy_warp(const Cluster& cluster) {
  Tally tried = tally_;  // what it takes to find out does not count
  const Warp* first = nullptr;
  for (const auto& block : cluster.blocks) {
    for (const auto& warp : block->warps) {
      if (warp->splits.empty()) continue;
      if (first == nullptr) first = warp.get();
      if (!standstill_of(*warp, tried, nullptr).proven) return warp.get();
    }
  }
  return first;
}

void ClusterRunner::stop_endless(const Cluster& cluster, const std::string& limit) {
  const Warp* busy = busy_warp(cluster);
  if (busy == nullptr || busy->splits.empty()) return grid_.stop({limit});
  const std::uint32_t pc = busy->splits[busy->current].pc;
  grid_.stop({fmt::format("{}; {}", limit, describe_place(*busy, pc, tally_))});
}

// Stops the run if no cluster of any worker can make progress: none ends, and none changes memory.
bool ClusterRunner::stop_standstill(const std::deque<std::unique_ptr<Cluster>>& clusters) {
  // What bulk copies of other workers write is not counted.
  if (has_bulk_copies_ && grid_.workers > 1) return false;
  const std::uint64_t writes = grid_.writes;
  std::optional<Spin> spin;
  const Warp* spinning = nullptr;
  for (const auto& cluster : clusters) {
    for (const auto& block : cluster->blocks) {
      for (const auto& warp : block->warps) {
        const Standstill still = standstill_of(*warp, tally_, listener_);
        if (!still.proven || grid_.stopped) {
          ++grid_.writes;  // it may have written before it was given up
          return false;
        }
        if (spin || !still.spin) continue;
        spin = still.spin;
        spinning = warp.get();
      }
    }
  }
  if (!spin) return false;  // all wait at barriers: the next turn says at which
  // Others may still write what these wait for.
  while (!grid_.is_still(this, writes)) {
    if (grid_.stopped || grid_.writes != writes) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  grid_.stop({"the kernel never ends: " + describe(*spin, *spinning, tally_)});
  return true;
}

bool ClusterRunner::release_left_behind(const Cluster& cluster) {
  bool released = false;
  for (const auto& block : cluster.blocks) {
    for (const auto& warp : block->warps) {
      if (emulate::release_left_behind(*warp)) released = true;
    }
  }
  return released;
}

void ClusterRunner::stop_deadlocked(const Cluster& cluster) {
  constexpr std::size_t kMaxNamed = 4;
  std::vector<std::string> waiting;
  std::size_t count = 0;
  for (const auto& block : cluster.blocks) {
    for (const auto& warp : block->warps) {
      for (const Split& split : warp->splits) {
        if (++count > kMaxNamed) continue;
        waiting.push_back(fmt::format("warp {} of block {} waits {} ({})", warp->index,
                                      launch::to_string(block->index), waits_for(split.state),
                                      named_place(*program_.kernel, split.pc)));
      }
    }
  }
  std::string text =
      fmt::format("deadlock: no warp can make progress; {}", fmt::join(waiting, "; "));
  if (count > kMaxNamed) text += fmt::format("; and {} more", count - kMaxNamed);
  grid_.stop({std::move(text)});
}

void ClusterRunner::run(const std::function<std::optional<std::uint64_t>()>& next,
                        const std::function<void()>& ended) {
  run_all(next, ended);
  grid_.leave(this);
}

void ClusterRunner::run_all(const std::function<std::optional<std::uint64_t>()>& next,
                            const std::function<void()>& ended) {
  std::deque<std::unique_ptr<Cluster>> aside;
  std::size_t turns = 0;    // since a cluster ended, or one more was allowed
  std::size_t allowed = 1;  // clusters under way
  bool more = true;
  std::uint64_t rounds = 0;      // in which no cluster ended and no more could be started
  std::uint64_t next_check = 1;  // of them: when to look whether any can go on
  while (!grid_.stopped) {
    std::unique_ptr<Cluster> cluster;
    if (more && aside.size() < allowed) {
      const std::optional<std::uint64_t> number = next();
      more = number.has_value();
      if (number) cluster = begin(*number);
    }
    if (!cluster) {
      if (aside.empty()) return;
      cluster = std::move(aside.front());
      aside.pop_front();
    }
    switch (run_for_a_while(*cluster)) {
      case Outcome::kEnded:
        if (listener_ != nullptr) {
          for (const auto& block : cluster->blocks) listener_->block_ended(*block);
        }
        ended();
        grid_.ended = grid_.executed.load();
        spare_ = std::move(cluster);
        turns = rounds = 0;
        break;
      case Outcome::kWaiting: {
        aside.push_back(std::move(cluster));
        if (++turns < aside.size()) break;
        turns = 0;
        if (allowed * bytes_of(*aside.front()) <
            kMaxBytesAside / std::max(1u, grid_.workers.load()))
          allowed *= 2;
        if ((more && aside.size() < allowed) || ++rounds < next_check) break;
        rounds = 0;
        next_check = std::min(2 * next_check, kMaxRounds);
        if (stop_standstill(aside)) return;
        break;
      }
      case Outcome::kStopped:
        return;
    }
  }
}

}  // namespace burin::emulate
