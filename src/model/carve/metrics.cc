#include "model/carve/metrics.h"

#include <algorithm>
#include <cmath>

namespace burin::model {
namespace {

// Levels that are busy at the same time get in each other's way: the estimate is a norm of their
// times, between the maximum and the sum. Chosen on the spaces that bench/carving does not hold
// out; from 2 to 8 makes little difference there.
constexpr double kOverlap = 4;

// The machine's gap of LDC is that of loads whose address was just computed. Kernels that walk
// through a table were recorded at 0.66 of it and less (mri_fhd in bench/carving).
constexpr double kConstantGap = 0.5;

double norm(std::initializer_list<double> cycles) {
  double sum = 0;
  const double most = std::max(cycles);
  if (most <= 0) return 0;
  for (const double c : cycles) sum += std::pow(c / most, kOverlap);
  return most * std::pow(sum, 1 / kOverlap);
}

// Cycles of the block's longest warp on an SM of its own.
double alone_cycles(const LaunchCounts& counts, const machine::Machine& machine, bool ilp) {
  if (ilp) return counts.alone_cycles + machine.dispatch.latency;
  const double waits = counts.long_waits * machine.l2.latency +
                       counts.barriers * machine.barrier.latency +
                       counts.special_waits * machine.of(machine::TimingClass::kMufu).latency;
  return counts.weighted + waits + machine.dispatch.latency;
}

// Cycles of the SM's constant cache for a block. Its warps read the same constants at about the
// same time, other blocks do not: what a block reads beyond the first level is missed once per
// block. Each pass counts as 4 bytes that were not read before, which is true of tables that are
// walked through, and too much for ones that are read again.
double constant_cycles(const LaunchCounts& counts, const machine::Machine& machine) {
  const double gap = machine.of(machine::TimingClass::kConstantLoad).gap / machine.sm.schedulers;
  const double passes = counts.constant_cycles / gap / std::max(1.0, counts.warps);
  const double missed = std::max(0.0, 4 * passes - machine.constant.size) / machine.constant.line;
  return kConstantGap * counts.constant_cycles + missed * machine.constant.miss_latency;
}

}  // namespace

double efficiency(double instructions, double threads) {
  return 1 / (instructions * threads);
}

double utilization(double instructions, double regions, double warps_per_block,
                   double resident_blocks) {
  return instructions / regions *
         ((warps_per_block - 1) / 2 + (resident_blocks - 1) * warps_per_block);
}

double LevelCycles::memory() const {
  return std::max({shared, fill, l2, dram});
}

LevelCycles level_cycles(const LaunchCounts& counts, const machine::Machine& machine,
                         const MetricChoice& choice) {
  const double blocks = std::ceil(counts.blocks / machine.sm.count);  // of the busiest SM
  const double resident = std::max(1.0, counts.resident_blocks);
  // Schedulers without a warp do nothing.
  const double schedulers =
      std::min(machine.sm.schedulers, std::min(resident, blocks) * counts.warps);
  LevelCycles of;
  const double pipe =
      std::max({counts.issue_cycles, counts.fma_cycles, counts.fma_heavy_cycles, counts.alu_cycles,
                counts.fp64_cycles, counts.xu_cycles, counts.tensor_cycles}) /
      std::max(1.0, schedulers);
  const double shared =
      std::max(counts.shared_cycles + counts.l1_cycles, constant_cycles(counts, machine));
  const double fill =
      std::max(counts.l2_read_bytes / machine.l1.fill, counts.l2_write_bytes / machine.l1.drain);
  of.pipe = blocks * pipe;
  of.shared = blocks * shared;
  of.fill = blocks * fill;
  const double reads = counts.l2_requests - counts.l2_write_requests;
  of.l2 =
      counts.blocks *
      std::max({counts.l2_read_bytes / machine.l2.bandwidth +
                    counts.l2_write_bytes / machine.l2.write_bandwidth,
                reads / machine.l2.requests + counts.l2_write_requests / machine.l2.write_requests,
                counts.atomic_passes / machine.l2.atomic_bandwidth});
  of.dram = counts.dram_bytes / machine.dram.bandwidth;

  // As many blocks as fit run side by side, round after round; a round takes as long as its longest
  // warp alone, or as its busiest level.
  const double busy = std::max({pipe, shared, fill});
  const double together = norm({pipe, shared, fill});
  const double alone = alone_cycles(counts, machine, choice.ilp);
  const double rounds = std::floor(blocks / resident);
  const double rest = blocks - rounds * resident;
  of.busy = blocks * busy;
  of.exposed = rounds * std::max(alone, resident * busy);
  double estimate = rounds * norm({alone, resident * together});
  if (rest > 0) {
    of.exposed += std::max(alone, rest * busy);
    estimate += norm({alone, rest * together});
  }
  of.total = norm({estimate, of.l2, of.dram}) + machine.dispatch.launch;
  return of;
}

Metrics metrics_of(std::span<const LaunchCounts> launches, const machine::Machine& machine,
                   const MetricChoice& choice) {
  Metrics all;
  double executed = 0;      // instructions × threads
  double weighted_use = 0;  // equation 2, weighted by them
  double pipe = 0;
  double memory = 0;
  double busy = 0;
  double exposed = 0;
  double dram = 0;
  double sectors = 0;
  double ideal = 0;
  double most = 0;
  for (const LaunchCounts& counts : launches) {
    const double n = counts.launches;
    const LevelCycles of = level_cycles(counts, machine, choice);
    const double threads = counts.blocks * counts.threads;
    const double work = n * counts.instructions * threads;
    executed += work;
    weighted_use += work * utilization(counts.instructions, counts.regions(), counts.warps,
                                       counts.resident_blocks);
    pipe += n * of.pipe;
    memory += n * of.memory();
    busy += n * of.busy;
    exposed += n * of.exposed;
    dram += n * counts.dram_bytes;
    all.cycles += n * of.total;
    sectors += n * counts.blocks * counts.sectors;
    ideal += n * counts.blocks * counts.ideal_sectors;
    all.spill_bytes = std::max(all.spill_bytes, counts.spill_bytes);
    if (work < most) continue;
    most = work;
    all.instructions = counts.instructions;
    all.regions = counts.regions();
    all.warps = counts.warps;
    all.resident_blocks = counts.resident_blocks;
    all.registers = counts.registers;
    all.occupancy = counts.resident_blocks * counts.warps / machine.limit.warps;
  }
  all.axes[0] = choice.weighted ? 1 / std::max(1.0, pipe) : 1 / std::max(1.0, executed);
  all.axes[1] = choice.capped ? std::min(1.0, busy / std::max(1.0, exposed))
                              : weighted_use / std::max(1.0, executed);
  all.axes[2] = 1 / std::max(1.0, memory);
  all.coalescing = sectors > 0 ? std::min(1.0, ideal / sectors) : 1;
  all.demand = dram / std::max(1.0, pipe) / machine.dram.bandwidth;
  return all;
}

}  // namespace burin::model
