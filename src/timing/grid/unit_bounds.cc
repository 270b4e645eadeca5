#include "timing/grid/unit_bounds.h"

#include <algorithm>

#include "base/format.h"
#include "base/numbers.h"
#include "timing/trace/lines.h"

namespace burin::timing {

namespace {

std::size_t at(machine::Resource r) {
  return static_cast<std::size_t>(r);
}

// Cycles of all SMs' units, spread over evenly loaded SMs.
class SmUnits {
 public:
  SmUnits(const machine::Machine& machine, UnitDemand& demand) : m_(machine), demand_(demand) {}

  void add(const InstructionCost& cost, const TimedOp& op, const read::Instruction& instruction) {
    const double schedulers = m_.sm.schedulers;
    const double cycles = cost.issued * op.gap / schedulers;
    of(machine::Resource::kIssue) += cost.issued / schedulers;
    switch (op.unit) {
      case Unit::kNone:
      case Unit::kBulk:
        break;
      case Unit::kLsu: {
        const bool shared = instruction.opcode->space == read::Space::kShared;
        of(machine::Resource::kLsu) += cost.issued * m_.lsu.gap;
        of(shared ? machine::Resource::kShared : machine::Resource::kL1) +=
            cost.passes * kLineBytes / (shared ? m_.shared.bandwidth : m_.l1.bandwidth);
        break;
      }
      case Unit::kFma:
        of(machine::Resource::kFma) += cycles / m_.issue.fma_units;
        break;
      case Unit::kFmaHeavy:
        heavy_ += cycles;
        of(machine::Resource::kFma) += cycles / m_.issue.fma_units;
        break;
      case Unit::kFmaBoth:
        heavy_ += cycles;
        of(machine::Resource::kFma) += cycles;
        break;
      default:
        of(op.resource) += cycles;
    }
  }

  void share(double sms) {
    of(machine::Resource::kFma) = std::max(of(machine::Resource::kFma), heavy_);
    for (double& cycles : demand_.of_sm) cycles /= sms;
  }

 private:
  double& of(machine::Resource r) { return demand_.of_sm[at(r)]; }

  const machine::Machine& m_;
  UnitDemand& demand_;
  double heavy_ = 0;  // cycles of the FP32 unit that also multiplies integers
};

}  // namespace

UnitBound UnitDemand::largest() const {
  UnitBound most{.unit = "tma", .cycles = tma};
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    const double cycles = std::max(of_sm[r], of_gpu[r]);
    if (cycles > most.cycles) {
      most = {std::string(machine::name(static_cast<machine::Resource>(r))), cycles};
    }
  }
  return most;
}

UnitDemand unit_demand(const Prediction& p, std::span<const TimedOp> code,
                       const read::Kernel& kernel, const machine::Machine& machine, double sms) {
  UnitDemand demand;
  SmUnits units(machine, demand);
  for (std::size_t i = 0; i < code.size(); ++i) {
    units.add(p.costs[i], code[i], kernel.instructions[i]);
  }
  units.share(sms);
  // Bulk copies of all SMs run at full speed at once, faster than the loads of warps.
  const double loaded = std::max(0.0, p.l2_bytes - p.bulk_bytes);
  demand.of_gpu[at(machine::Resource::kL2)] = std::max(
      loaded / machine.l2.bandwidth / std::max(1.0, machine.l2.sharing), p.l2_atomic_cycles);
  // Steps that are not replayed access the L2 cache warp by warp, so they miss data that concurrent
  // warps share in a small cache. If their bytes take clearly longer than those of the replayed
  // steps, they are not a bound.
  constexpr double kClearExcess = 1.02;
  const double moved =
      p.dram_read_bytes / machine.dram.bandwidth +
      p.dram_write_bytes / std::max(machine.dram.bandwidth, machine.dram.write_bandwidth);
  const double replayed = p.busy[at(machine::Resource::kDram)] * (p.cycles - p.launch_cycles);
  demand.of_gpu[at(machine::Resource::kDram)] = moved > kClearExcess * replayed ? replayed : moved;
  if (machine.bulk.tma_bandwidth > 0) demand.tma = p.bulk_bytes / machine.bulk.tma_bandwidth / sms;
  return demand;
}

void raise_to_bound(const UnitBound& bound, const machine::Machine& machine, Prediction& p) {
  const auto time_us = [&](double cycles) { return machine.seconds(cycles) * 1e6; };
  const double cycles = bound.cycles + p.launch_cycles;
  p.bound = {.unit = bound.unit, .time_us = time_us(cycles), .raised_from_us = 0};
  const double before = p.cycles - p.launch_cycles;
  if (p.cycles >= cycles || before <= 0) return;
  p.bound.raised_from_us = p.time_us;
  p.notes.push_back(
      fmt::format("raised from {} to the time that {} needs for its work at its peak rate",
                  time_text(p.time_us), bound.unit));
  p.cycles = cycles;
  p.time_us = p.cycles / p.clock_mhz;
  const double shrink = before / bound.cycles;
  for (double& busy : p.busy) busy *= shrink;
  p.ipc *= shrink;
}

}  // namespace burin::timing
