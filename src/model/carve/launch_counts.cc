#include "model/carve/launch_counts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "machine/occupancy.h"
#include "model/carve/memory_counts.h"
#include "model/carve/unknown_loop.h"
#include "model/carve/warp_walk.h"
#include "timing/result/kernel_needs.h"
#include "timing/trace/trace_source.h"

namespace burin::model {
namespace {

constexpr std::array kFields = {
    CountField{"launches", &LaunchCounts::launches, false},
    CountField{"blocks", &LaunchCounts::blocks, false},
    CountField{"threads", &LaunchCounts::threads, false},
    CountField{"warps", &LaunchCounts::warps, false},
    CountField{"resident_blocks", &LaunchCounts::resident_blocks, false},
    CountField{"registers", &LaunchCounts::registers, false},
    CountField{"shared_bytes", &LaunchCounts::shared_bytes, false},
    CountField{"spill_bytes", &LaunchCounts::spill_bytes, false},
    CountField{"code_bytes", &LaunchCounts::code_bytes, false},
    CountField{"hot_code_bytes", &LaunchCounts::hot_code_bytes, false},
    CountField{"instructions", &LaunchCounts::instructions, true},
    CountField{"weighted", &LaunchCounts::weighted, true},
    CountField{"issue_cycles", &LaunchCounts::issue_cycles, true},
    CountField{"fma_cycles", &LaunchCounts::fma_cycles, true},
    CountField{"fma_heavy_cycles", &LaunchCounts::fma_heavy_cycles, true},
    CountField{"alu_cycles", &LaunchCounts::alu_cycles, true},
    CountField{"fp64_cycles", &LaunchCounts::fp64_cycles, true},
    CountField{"xu_cycles", &LaunchCounts::xu_cycles, true},
    CountField{"tensor_cycles", &LaunchCounts::tensor_cycles, true},
    CountField{"uniform_cycles", &LaunchCounts::uniform_cycles, true},
    CountField{"operand_cycles", &LaunchCounts::operand_cycles, true},
    CountField{"constant_cycles", &LaunchCounts::constant_cycles, true},
    CountField{"long_waits", &LaunchCounts::long_waits, true},
    CountField{"barriers", &LaunchCounts::barriers, true},
    CountField{"special_waits", &LaunchCounts::special_waits, true},
    CountField{"long_loads", &LaunchCounts::long_loads, true},
    CountField{"alone_cycles", &LaunchCounts::alone_cycles, true},
    CountField{"exposed_cycles", &LaunchCounts::exposed_cycles, true},
    CountField{"requests", &LaunchCounts::requests, true},
    CountField{"sectors", &LaunchCounts::sectors, true},
    CountField{"ideal_sectors", &LaunchCounts::ideal_sectors, true},
    CountField{"shared_cycles", &LaunchCounts::shared_cycles, true},
    CountField{"shared_bytes_moved", &LaunchCounts::shared_bytes_moved, true},
    CountField{"l1_cycles", &LaunchCounts::l1_cycles, true},
    CountField{"l1_bytes", &LaunchCounts::l1_bytes, true},
    CountField{"l2_read_bytes", &LaunchCounts::l2_read_bytes, true},
    CountField{"l2_write_bytes", &LaunchCounts::l2_write_bytes, true},
    CountField{"l2_requests", &LaunchCounts::l2_requests, true},
    CountField{"l2_write_requests", &LaunchCounts::l2_write_requests, true},
    CountField{"atomics", &LaunchCounts::atomics, true},
    CountField{"atomic_passes", &LaunchCounts::atomic_passes, true},
    CountField{"local_bytes", &LaunchCounts::local_bytes, true},
    CountField{"dram_bytes", &LaunchCounts::dram_bytes, false},
    CountField{"heaviest", &LaunchCounts::heaviest, false},
};

using timing::BlockTrace;
using timing::TimedOp;
using timing::Unit;

// Blocks are executed until these are reached: one from the middle of the grid, then from all over.
constexpr std::array kPlaces = {0.5, 0.1, 0.9, 0.3, 0.7};
constexpr std::uint64_t kEnoughSteps = 1'500'000;

std::vector<std::uint64_t> blocks_to_execute(std::uint64_t blocks) {
  std::vector<std::uint64_t> chosen;
  for (const double place : kPlaces) {
    const auto block = static_cast<std::uint64_t>(place * static_cast<double>(blocks));
    const std::uint64_t number = std::min(block, blocks - 1);
    if (std::ranges::find(chosen, number) == chosen.end()) chosen.push_back(number);
  }
  return chosen;
}

// The first block, and as many of the others as are cheap.
Result<std::vector<BlockTrace>> trace_blocks(timing::TraceSource& source, std::uint64_t blocks) {
  const std::vector<std::uint64_t> chosen = blocks_to_execute(blocks);
  Result<std::vector<BlockTrace>> traces = source.trace(std::span(chosen).first(1));
  if (!traces || chosen.size() == 1) return traces;
  const std::uint64_t steps = std::max<std::uint64_t>(1, traces->front().steps);
  const auto more = std::clamp<std::uint64_t>(kEnoughSteps / steps, 1, chosen.size() - 1);
  Result<std::vector<BlockTrace>> others = source.trace(std::span(chosen).subspan(1, more));
  if (!others) return others;
  std::ranges::move(*others, std::back_inserter(*traces));
  return traces;
}

double operand_cycles(const TimedOp& op, const machine::Machine& machine) {
  int most = 0;
  for (std::size_t bank = 0; bank < op.bank_reads.size(); ++bank) {
    most = std::max(most, op.bank_reads[bank] - op.reused[bank]);
  }
  return most / machine.issue.register_ports;
}

void count_instructions(const BlockTrace& trace, std::span<const TimedOp> code,
                        const machine::Machine& machine, std::vector<std::uint64_t>& executed,
                        LaunchCounts& counts) {
  double weighted = 0;
  double steps = 0;
  for (const auto& warp : trace.warps) {
    for (const timing::TraceStep& step : warp) {
      const TimedOp& op = code[step.instruction];
      ++executed[step.instruction];
      double gap = op.gap;
      counts.issue_cycles += op.slots;
      counts.operand_cycles += operand_cycles(op, machine);
      switch (op.unit) {
        case Unit::kFma:
          gap /= machine.issue.fma_units;
          counts.fma_cycles += gap;
          break;
        case Unit::kFmaBoth:
          counts.fma_cycles += gap;
          counts.fma_heavy_cycles += gap;
          break;
        case Unit::kFmaHeavy:
          counts.fma_cycles += gap / machine.issue.fma_units;
          counts.fma_heavy_cycles += gap;
          break;
        case Unit::kAlu:
          counts.alu_cycles += gap;
          break;
        case Unit::kFp64:
          counts.fp64_cycles += gap;
          break;
        case Unit::kXu:
          counts.xu_cycles += gap;
          break;
        case Unit::kTensor:
          counts.tensor_cycles += gap;
          break;
        case Unit::kUniform:
          counts.uniform_cycles += gap;
          break;
        default:
          break;
      }
      weighted += std::max({1.0, op.slots, gap});
      ++steps;
    }
  }
  const auto warps = static_cast<double>(std::max<std::size_t>(1, trace.warps.size()));
  counts.instructions += steps / warps;
  counts.weighted += weighted / warps;
}

void count_regions(const BlockTrace& trace, std::span<const TimedOp> code,
                   std::span<const char> special, std::span<const float> latencies,
                   const machine::Machine& machine, LaunchCounts& counts) {
  const auto warps = static_cast<double>(std::max<std::size_t>(1, trace.warps.size()));
  WarpWalk longest;
  for (const auto& warp : trace.warps) {
    const WarpWalk walk = walk_warp(trace, warp, code, special, latencies, machine);
    counts.long_waits += static_cast<double>(walk.long_waits) / warps;
    counts.barriers += static_cast<double>(walk.barriers) / warps;
    counts.special_waits += static_cast<double>(walk.special_waits) / warps;
    counts.long_loads += static_cast<double>(walk.long_loads) / warps;
    if (walk.cycles > longest.cycles) longest = walk;
  }
  counts.alone_cycles += longest.cycles;
  counts.exposed_cycles += longest.exposed_cycles;
}

// Sums over the executed blocks become means.
void divide(LaunchCounts& counts, double by) {
  for (const CountField& field : count_fields()) {
    if (field.mean) counts.*field.value /= by;
  }
}

// Each buffer crosses the DRAM bus once in each direction, as far as the blocks use it.
double dram_bytes(std::span<const BlockMemory> memories, double blocks) {
  std::map<std::uint64_t, BufferUse> mean;
  for (const BlockMemory& memory : memories) {
    for (const auto& [address, use] : memory.buffers) {
      BufferUse& sum = mean[address];
      sum.size = use.size;
      sum.read_bytes += use.read_bytes / static_cast<double>(memories.size());
      sum.written_bytes += use.written_bytes / static_cast<double>(memories.size());
    }
  }
  double bytes = 0;
  for (const auto& [address, use] : mean) {
    const auto size = static_cast<double>(use.size);
    bytes += std::min(size, use.read_bytes * blocks) + std::min(size, use.written_bytes * blocks);
  }
  return bytes;
}

}  // namespace

std::span<const CountField> count_fields() {
  return kFields;
}

Result<LaunchCounts> count_launch(const read::Kernel& kernel, const launch::Launch& launch,
                                  const machine::Machine& machine, const CountOptions& options) {
  const Result<machine::Occupancy> occupancy =
      burin::machine::occupancy(machine, timing::needs_of(kernel, launch));
  if (!occupancy) return occupancy.error();
  LaunchCounts counts;
  counts.blocks = static_cast<double>(launch.grid.total());
  counts.threads = static_cast<double>(launch.block.total());
  counts.warps = std::ceil(counts.threads / 32);
  counts.resident_blocks = static_cast<double>(occupancy->blocks);
  counts.registers = kernel.function->registers;
  counts.shared_bytes = static_cast<double>(kernel.function->shared_bytes + launch.shared_bytes);
  counts.spill_bytes = kernel.function->local_bytes;

  const Result<std::unique_ptr<timing::TraceSource>> source =
      timing::TraceSource::open(kernel, launch,
                                {.trips = options.trips,
                                 .unknown = options.unknown,
                                 .threads = 1,
                                 .most_in_all = options.max_instructions,
                                 .most_bytes = timing::kMaxTraceBytes});
  if (!source) return source.error();
  const Result<std::vector<BlockTrace>> traces = trace_blocks(**source, launch.grid.total());
  if (!traces) {
    if (kernel.loops.empty()) return traces.error();
    return Error{fmt::format("{}; its outermost loop is {}", traces.error().message,
                             describe_loop(kernel, kernel.loops.front())),
                 traces.error().exit};
  }
  const read::Loop* unknown = unknown_loop(kernel, *traces);
  if (unknown != nullptr && options.trips.empty()) {
    return Error{
        fmt::format("how often a loop runs depends on data that is not given: {}, or give "
                    "the buffer a fill",
                    describe_loop(kernel, *unknown))};
  }
  if (!(*source)->faults().empty()) {
    const emulate::Fault& fault = (*source)->faults().front();
    return Error{fmt::format("{}: {}", emulate::name(fault.kind), fault.detail)};
  }

  BufferSizes sizes;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const launch::Buffer* buffer = launch.arguments[i].buffer();
    if (buffer != nullptr) sizes[(*source)->buffers()[i]] = buffer->size;
  }
  const std::vector<TimedOp> code = timing::timed_code(kernel, machine);
  const std::vector<char> special = only_special(kernel);
  std::vector<std::uint64_t> executed(code.size());
  std::vector<BlockMemory> memories;
  double heaviest = 0;
  for (const BlockTrace& trace : *traces) {
    count_instructions(trace, code, machine, executed, counts);
    memories.push_back(count_memory(trace, machine, *occupancy, sizes, counts));
    heaviest = std::max(heaviest, static_cast<double>(trace.steps));
  }
  const auto count = static_cast<double>(traces->size());
  counts.dram_bytes = dram_bytes(memories, counts.blocks);
  const double l2_bytes = (counts.l2_read_bytes + counts.l2_write_bytes) / count * counts.blocks;
  const double from_dram = std::min(1.0, counts.dram_bytes / std::max(1.0, l2_bytes));
  const double far = machine.l2.latency + from_dram * (machine.dram.latency - machine.l2.latency);
  for (std::size_t i = 0; i < traces->size(); ++i) {
    std::vector<float> latencies(memories[i].l1_hit.size());
    for (std::size_t k = 0; k < latencies.size(); ++k) {
      latencies[k] = static_cast<float>(memories[i].l1_hit[k] != 0 ? machine.l1.latency : far);
    }
    count_regions((*traces)[i], code, special, latencies, machine, counts);
  }
  double steps = 0;
  for (const BlockTrace& trace : *traces) steps += static_cast<double>(trace.steps);
  counts.heaviest = steps > 0 ? heaviest * count / steps : 1;
  const std::uint64_t most = executed.empty() ? 0 : std::ranges::max(executed);
  for (const std::uint64_t times : executed) {
    if (times > 0) counts.code_bytes += 16;
    if (times > 0 && 2 * times >= most) counts.hot_code_bytes += 16;
  }
  divide(counts, count);
  return counts;
}

}  // namespace burin::model
