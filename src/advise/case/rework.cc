#include "advise/case/rework.h"

#include <algorithm>
#include <array>

#include "advise/case/requests.h"
#include "emulate/values/sector.h"
#include "timing/code/timed_code.h"

namespace burin::advise {

namespace {

using Cycles = std::array<double, machine::kResources>;

double& at(Cycles& cycles, machine::Resource r) {
  return cycles[static_cast<std::size_t>(r)];
}

// Busy cycles of the units of one SM, if all SMs have equal work.
Cycles sm_cycles(const Case& c, const Work& work) {
  const machine::Machine& m = c.machine;
  const std::vector<timing::TimedOp> code = timing::timed_code(c.kernel, m);
  const double schedulers = m.sm.schedulers;
  Cycles cycles{};
  at(cycles, machine::Resource::kIssue) = work.more_issued / schedulers;
  double heavy = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const double issued = work.issued[i];
    if (issued <= 0) continue;
    const timing::TimedOp& op = code[i];
    at(cycles, machine::Resource::kIssue) += issued / schedulers;
    if (op.unit == timing::Unit::kNone || op.unit == timing::Unit::kBulk) continue;
    const double busy = issued * op.gap / schedulers;
    if (op.unit == timing::Unit::kLsu) {
      const bool shared = c.at(i).opcode->space == read::Space::kShared;
      at(cycles, machine::Resource::kLsu) += issued * m.lsu.gap;
      at(cycles, shared ? machine::Resource::kShared : machine::Resource::kL1) +=
          work.passes[i] * timing::kLineBytes / (shared ? m.shared.bandwidth : m.l1.bandwidth);
    } else if (op.unit == timing::Unit::kFma || op.unit == timing::Unit::kFmaHeavy) {
      at(cycles, machine::Resource::kFma) += busy / m.issue.fma_units;
      heavy += op.unit == timing::Unit::kFmaHeavy ? busy : 0;
    } else if (op.unit == timing::Unit::kFmaBoth) {
      at(cycles, machine::Resource::kFma) += busy;
      heavy += busy;
    } else {
      at(cycles, op.resource) += busy;
    }
  }
  double& fma = at(cycles, machine::Resource::kFma);
  fma = std::max(fma, heavy);
  for (double& of : cycles) of /= m.sm.count;
  return cycles;
}

// A single sector in its half of a line takes L2 as long as two sectors. Loads of the same lines by
// neighbouring SMs are merged.
double l2_cycles(const Case& c, const Work& work) {
  const machine::Machine& m = c.machine;
  const std::vector<timing::Strides>& strides = c.study->traced().strides.of;
  double cycles = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (work.l2_bytes[i] <= 0) continue;
    const double requests = work.l2_bytes[i] / emulate::kSectorBytes * work.l2_requests[i];
    const bool stores = c.at(i).opcode->stores;
    const bool same = !stores && strides[i].kind == timing::Strides::Kind::kSame;
    cycles += std::max(work.l2_bytes[i] / (stores ? m.l2.write_bandwidth : m.l2.bandwidth),
                       requests / (stores ? m.l2.write_requests : m.l2.requests)) /
              (same ? std::max(1.0, m.l2.sharing) : 1);
  }
  return std::max(cycles, work.atomic_cycles);
}

}  // namespace

Work work_of(const Case& c) {
  const timing::Prediction& p = c.study->base();
  Work work{.issued = std::vector<double>(c.size()),
            .passes = std::vector<double>(c.size()),
            .l2_bytes = std::vector<double>(c.size()),
            .l2_requests = std::vector<double>(c.size(), kAdjacentSectors),
            .dram_read_bytes = p.dram_read_bytes,
            .dram_write_bytes = p.dram_write_bytes,
            .atomic_cycles = p.l2_atomic_cycles};
  const Requests requests(*c.study);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const timing::InstructionCost& cost = p.costs[i];
    const RequestShape& shape = requests.of(i);
    if (shape.sectors > 0) {
      work.l2_requests[i] = std::clamp(shape.lines / shape.sectors, kAdjacentSectors, 1.0);
    }
    work.issued[i] = cost.issued;
    work.passes[i] = cost.passes;
    work.l2_bytes[i] = std::max(0.0, cost.sectors - cost.l1_hits) * emulate::kSectorBytes;
  }
  return work;
}

Reworked rework(const Case& c, const Work& work, double reach) {
  const machine::Machine& m = c.machine;
  Cycles cycles = sm_cycles(c, work);
  at(cycles, machine::Resource::kL2) = l2_cycles(c, work);
  at(cycles, machine::Resource::kDram) =
      work.dram_read_bytes / m.dram.bandwidth + work.dram_write_bytes / m.dram.write_bandwidth;
  const auto busiest = std::ranges::max_element(cycles);
  const auto unit = static_cast<machine::Resource>(busiest - cycles.begin());
  return {.time_us = m.seconds(*busiest / reach + m.dispatch.launch) * 1e6,
          .limit = std::string(machine::name(unit))};
}

void set_rework(const Case& c, const Reworked& after, Match& match) {
  const double before = c.time_measured && c.time_us ? *c.time_us : c.study->base().time_us;
  match.estimator = Estimator::kGiven;
  match.speedup = before / after.time_us;
  match.rework_limit = after.limit;
}

}  // namespace burin::advise
