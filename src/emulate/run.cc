#include "emulate/run.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "base/format.h"
#include "emulate/cluster_runner.h"
#include "emulate/constants.h"
#include "emulate/grid.h"
#include "emulate/lower.h"
#include "emulate/variables.h"

namespace burin {

namespace {

constexpr std::uint32_t kReservedShared = 1024;  // in front of the kernel's own, sm_80 and later
constexpr std::uint32_t kLeastStack = 1024;      // what the driver gives where nothing is said

std::uint32_t stack_bytes(const Function& function) {
  const std::uint32_t needed = std::max({kLeastStack, function.stack_bytes, function.local_bytes});
  return (needed + 15) / 16 * 16;
}

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
  constexpr unsigned kMostThreads = 256;
  const unsigned wanted = std::min(
      kMostThreads,
      options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency()));
  return static_cast<unsigned>(std::min<std::uint64_t>(wanted, clusters));
}

void run_clusters(Grid& grid, const Program& program, std::uint64_t clusters, Run& run) {
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> ended{0};
  std::mutex mutex;  // of the result and of the progress, which is nobody's fast path
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
    ClusterRunner runner(grid, program);
    runner.run(next, one_ended);
    const std::lock_guard lock(mutex);
    merge(run, runner.tally());
  };
  std::vector<std::jthread> threads;
  for (unsigned t = 1; t < worker_count(*grid.options, clusters); ++t) threads.emplace_back(work);
  work();
}

// The parameters once more, in memory: the tensor memory accelerator reads its maps there. They lie
// as they do in the constant bank, so that a map is a multiple of 64 bytes from its start.
std::uint64_t add_parameters(GlobalMemory& memory, const Launch& launch, const Function& function,
                             std::span<const std::uint64_t> buffers) {
  const std::vector<std::uint8_t> bytes = parameter_block(launch, function, buffers);
  const std::uint64_t address =
      function.parameter_base +
      memory.add("the parameters",
                 {.size = function.parameter_base + bytes.size() + 1, .kind = Fill::kZero});
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Datum d;
    d.bytes[0] = bytes[at];
    memory.write(address + at, 1, d);
  }
  return address;
}

}  // namespace

std::uint64_t Run::executed() const {
  std::uint64_t sum = 0;
  for (const InstructionCount& c : counts) sum += c.warps;
  return sum;
}

Result<Run> emulate(const Kernel& kernel, const Launch& launch, const RunOptions& options) {
  const Architecture& arch = kernel.image->arch;
  if (arch.sm < 80 || arch.sm >= 100) {
    return Error{fmt::format("burin executes kernels for sm_80 to sm_90, and this one is for {}",
                             to_string(arch))};
  }
  Run run;
  Grid grid;
  grid.kernel = &kernel;
  grid.launch = &launch;
  grid.options = &options;
  grid.cluster = cluster_of(launch, *kernel.function).value_or(Dims{});
  // On sm_90 the kernel's own variables start behind what the system reserves.
  grid.shared_reserved = arch.sm >= 90 ? kReservedShared : 0;
  grid.shared_bytes = grid.shared_reserved + kernel.function->shared_bytes +
                      static_cast<std::uint32_t>(launch.shared_bytes);
  grid.local_bytes = stack_bytes(*kernel.function);
  grid.memory = std::make_shared<GlobalMemory>();
  run.memory = grid.memory;

  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Buffer* buffer = launch.arguments[i].buffer();
    run.buffers.push_back(
        buffer == nullptr ? 0 : grid.memory->add(fmt::format("argument {}", i), *buffer));
  }
  const std::uint64_t workspace =
      grid.memory->add("the grid's barrier", {.size = 256, .kind = Fill::kZero});
  ConstantMemory constants = launch_constants(
      kernel, launch, grid.cluster,
      {.arguments = run.buffers,
       .grid_workspace = workspace,
       .parameters = add_parameters(*grid.memory, launch, *kernel.function, run.buffers),
       .stack_top = grid.local_bytes});
  write_addresses(*kernel.image, place_variables(*kernel.image, *grid.memory), constants);
  const std::unique_ptr<Program> program = lower(kernel, std::move(constants));
  run.counts.resize(program->ops.size());
  const std::uint64_t clusters = launch.grid.total() / grid.cluster.total();
  run_clusters(grid, *program, clusters, run);
  run.faults = grid.faults.take();
  run.blocks = launch.grid.total();
  run.warps = run.blocks * ((launch.block.total() + kWarpLanes - 1) / kWarpLanes);
  run.stopped = grid.error();
  return run;
}

}  // namespace burin
