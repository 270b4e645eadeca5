#include "emulate/run.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "emulate/execute/cluster_runner.h"
#include "emulate/execute/session.h"

namespace burin::emulate {

namespace {

void merge(Run& run, const Tally& tally) {
  for (std::size_t i = 0; i < run.counts.size(); ++i) {
    run.counts[i].warps += tally.counts[i].warps;
    run.counts[i].lanes += tally.counts[i].lanes;
    run.counts[i].divergent += tally.counts[i].divergent;
  }
  run.unknown.branches += tally.unknown.branches;
  run.unknown.instructions += tally.unknown.instructions;
  run.unknown.accesses += tally.unknown.accesses;
  run.unknown.stores += tally.unknown.stores;
  run.unknown.guards += tally.unknown.guards;
}

unsigned worker_count(const RunOptions& options, std::uint64_t clusters) {
  if (options.listener != nullptr) return 1;
  constexpr unsigned kMaxThreads = 256;
  const unsigned wanted = std::min(
      kMaxThreads,
      options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency()));
  return static_cast<unsigned>(std::min<std::uint64_t>(wanted, clusters));
}

void run_clusters(Grid& grid, const Program& program, std::uint64_t clusters, Run& run) {
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> ended{0};
  std::mutex mutex;  // protects the result and the progress; not performance-critical
  const auto next = [&]() -> std::optional<std::uint64_t> {
    const std::uint64_t number = begun++;
    if (number >= clusters) return std::nullopt;
    return number;
  };
  const auto one_ended = [&] {
    const std::uint64_t done = ++ended;
    if (!grid.options->progress) return;
    const std::lock_guard lock(mutex);
    grid.options->progress(done * grid.cluster.total(), clusters * grid.cluster.total());
  };
  const auto work = [&] {
    ClusterRunner runner(grid, program, grid.options->listener);
    within_memory(grid, [&] { runner.run(next, one_ended); });
    const std::lock_guard lock(mutex);
    merge(run, runner.tally());
  };
  grid.workers = worker_count(*grid.options, clusters);
  std::vector<std::jthread> threads;
  for (unsigned t = 1; t < worker_count(*grid.options, clusters); ++t) threads.emplace_back(work);
  work();
}

}  // namespace

std::uint64_t Run::executed() const {
  std::uint64_t sum = 0;
  for (const InstructionCount& c : counts) sum += c.warps;
  return sum;
}

Result<Run> emulate(const read::Kernel& kernel, const launch::Launch& launch,
                    const RunOptions& options) {
  Result<std::unique_ptr<Session>> session = open_session(kernel, launch, options);
  if (!session) return session.error();
  Grid& grid = (*session)->grid;
  Run run;
  run.memory = grid.memory;
  run.buffers = (*session)->buffers;
  run.counts.resize((*session)->program->ops.size());
  run_clusters(grid, *(*session)->program, (*session)->clusters, run);
  run.faults = grid.faults.take();
  run.printed = grid.prints.take();
  run.trips_met.assign(grid.trips_met.begin(), grid.trips_met.end());
  run.blocks = launch.grid.total();
  run.warps = run.blocks * ((launch.block.total() + kWarpLanes - 1) / kWarpLanes);
  run.stopped = grid.error();
  return run;
}

}  // namespace burin::emulate
