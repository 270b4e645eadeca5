#include "analyze/bounds/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "read/isa/traits.h"
#include "timing/code/timed_code.h"
#include "timing/grid/unit_bounds.h"

namespace burin::analyze {

namespace {

constexpr unsigned kScoreboards = 6;

// Floating-point operations of a warp.
double operations_of(const read::Instruction& i) {
  if (read::arithmetic_of(i) != read::Arithmetic::kMatrix) return 32.0 * read::float_operations(i);
  const read::ValueType type = i.opcode->operand_type;
  if (type == read::ValueType::kF64) return 2.0 * 8 * 8 * 4;
  if (type != read::ValueType::kF16) return 0;
  if (read::has(i, read::Trait::kAsync)) return 2.0 * 16 * timing::product_columns(i) * 16;
  return 2.0 * 16 * 8 * (i.modifier("shape") == "16816" ? 16 : 8);
}

// Busy cycles of the machine's units.
timing::UnitDemand demand_of(const Study& study) {
  return timing::unit_demand(study.base(), timing::timed_code(study.kernel(), study.machine()),
                             study.kernel(), study.machine(),
                             static_cast<double>(study.traced().share.sms));
}

// Minimum latency of each instruction's result, in cycles.
std::vector<double> least_latencies(const Study& study, const std::vector<timing::TimedOp>& code) {
  const machine::Machine& m = study.machine();
  std::vector<double> least(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    const timing::InstructionCost& cost = study.base().costs[i];
    least[i] = code[i].latency;
    if (code[i].kind != timing::TimedOp::Kind::kMemory) continue;
    if (!code[i].queue_global) {
      least[i] = m.shared.latency;
    } else if (cost.sectors <= 0) {
      least[i] = m.lsu.release;
    } else {
      least[i] = cost.l1_hits > 0 ? m.l1.latency : cost.l2_hits > 0 ? m.l2.latency : m.dram.latency;
    }
    least[i] = std::min(least[i], m.dram.latency);
  }
  return least;
}

// Cycles of a warp that never waits for another warp.
double chain_of(const std::vector<timing::TraceStep>& steps,
                const std::vector<timing::TimedOp>& code, const std::vector<double>& least) {
  std::array<double, kScoreboards> release{};
  double now = 0;
  for (const timing::TraceStep& step : steps) {
    const timing::TimedOp& op = code[step.instruction];
    for (unsigned b = 0; b < kScoreboards; ++b)
      if ((op.wait_mask >> b & 1) != 0) now = std::max(now, release[b]);
    if (op.write_barrier < kScoreboards) {
      double& board = release[op.write_barrier];
      board = std::max(board, now + least[step.instruction]);
    }
    now += op.stall;
  }
  return now;
}

// The time of the blocks that run one after another on an SM, each as long as its longest chain.
double chain_cycles(const Study& study) {
  const timing::TracedLaunch& traced = study.traced();
  const std::vector<timing::TimedOp> code = timing::timed_code(study.kernel(), study.machine());
  const std::vector<double> least = least_latencies(study, code);
  const auto longest = [&](const timing::BlockTrace& trace) {
    double most = 0;
    for (const auto& steps : trace.warps) most = std::max(most, chain_of(steps, code, least));
    return most;
  };
  if (traced.strides.alike) {
    const std::uint64_t rounds = (traced.share.count + traced.resident - 1) / traced.resident;
    return longest(traced.reference) * static_cast<double>(rounds);
  }
  double most = 0;
  for (const timing::TracedWindow& window : traced.windows) {
    for (const timing::BlockTrace& trace : window.traces) most = std::max(most, longest(trace));
  }
  return most;
}

}  // namespace

std::vector<Bound> bounds(const Study& study) {
  const timing::UnitDemand demand = demand_of(study);
  const machine::Machine& machine = study.machine();
  const auto time = [&](double cycles) { return machine.seconds(cycles) * 1e6; };
  std::vector<Bound> all;
  double of_sm = 0;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    const auto resource = static_cast<machine::Resource>(r);
    of_sm = std::max(of_sm, demand.of_sm[r]);
    all.push_back(
        {std::string(machine::name(resource)), time(std::max(demand.of_sm[r], demand.of_gpu[r]))});
  }
  // Blocks start and end one after another, at the rate of the whole GPU.
  const auto dispatch = static_cast<std::size_t>(machine::Resource::kDispatch);
  all[dispatch].time_us =
      time(study.base().busy[dispatch] * (study.base().cycles - study.base().launch_cycles));
  all.push_back({"tma", time(demand.tma)});
  const timing::SmShare& share = study.traced().share;
  const double fullest = static_cast<double>(share.count * share.sms);
  all.push_back({"tail", time(of_sm * fullest / static_cast<double>(share.blocks))});
  all.push_back({"chain", time(chain_cycles(study))});
  all.push_back({"launch", time(machine.dispatch.launch)});
  std::erase_if(all, [](const Bound& b) { return b.time_us <= 0; });
  std::ranges::stable_sort(all, std::ranges::greater(), &Bound::time_us);
  return all;
}

Roofline roofline(const Study& study) {
  const timing::UnitDemand demand = demand_of(study);
  const timing::Prediction& p = study.base();
  Roofline roof;
  for (std::size_t i = 0; i < p.costs.size(); ++i) {
    roof.operations += p.costs[i].issued * operations_of(study.kernel().instructions[i]);
  }
  roof.dram_bytes = p.dram_read_bytes + p.dram_write_bytes;
  roof.per_second = roof.operations / p.time_us * 1e6;
  double units = 0;
  for (const machine::Resource r :
       {machine::Resource::kFma, machine::Resource::kFp64, machine::Resource::kTensor}) {
    units = std::max(units, demand.of_sm[static_cast<std::size_t>(r)]);
  }
  const double dram = demand.of_gpu[static_cast<std::size_t>(machine::Resource::kDram)];
  roof.memory = dram > units;
  const double most = std::max(units, dram);
  if (most > 0) roof.most_per_second = roof.operations / study.machine().seconds(most);
  return roof;
}

}  // namespace burin::analyze
