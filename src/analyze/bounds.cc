#include "analyze/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "read/isa/traits.h"
#include "timing/code/timed_code.h"

namespace burin::analyze {

namespace {

constexpr unsigned kScoreboards = 6;

// What the machine's units have to do, in cycles of the whole GPU's SMs.
class Demand {
 public:
  explicit Demand(const Study& study)
      : study_(study), m_(study.machine()), code_(timing::timed_code(study.kernel(), m_)) {
    for (std::size_t i = 0; i < code_.size(); ++i) add(i);
    const timing::Prediction& p = study.base();
    const double sms = static_cast<double>(study.traced().share.sms);
    for (double& cycles : of_sm_) cycles /= sms;
    of_sm_[at(machine::Resource::kFma)] =
        std::max(of_sm_[at(machine::Resource::kFma)], heavy_ / sms);
    of_gpu_[at(machine::Resource::kL2)] =
        std::max(p.l2_bytes / m_.l2.bandwidth / std::max(1.0, m_.l2.sharing), p.l2_atomic_cycles);
    of_gpu_[at(machine::Resource::kDram)] =
        p.dram_read_bytes / m_.dram.bandwidth + p.dram_write_bytes / m_.dram.write_bandwidth;
  }

  double of_sm(machine::Resource r) const { return of_sm_[at(r)]; }    // cycles, SMs evenly loaded
  double of_gpu(machine::Resource r) const { return of_gpu_[at(r)]; }  // cycles
  double operations() const { return operations_; }

 private:
  static std::size_t at(machine::Resource r) { return static_cast<std::size_t>(r); }

  void add(std::size_t i) {
    const timing::InstructionCost& cost = study_.base().costs[i];
    const timing::TimedOp& op = code_[i];
    const double schedulers = m_.sm.schedulers;
    of_sm_[at(machine::Resource::kIssue)] += cost.issued / schedulers;
    switch (op.unit) {
      case timing::Unit::kNone:
      case timing::Unit::kBulk:
        break;
      case timing::Unit::kLsu: {
        const bool shared = study_.kernel().instructions[i].opcode->space == read::Space::kShared;
        const double bandwidth = shared ? m_.shared.bandwidth : m_.l1.bandwidth;
        of_sm_[at(machine::Resource::kLsu)] += cost.issued * m_.lsu.gap;
        of_sm_[at(shared ? machine::Resource::kShared : machine::Resource::kL1)] +=
            cost.passes * timing::kLineBytes / bandwidth;
        break;
      }
      case timing::Unit::kFma:
        of_sm_[at(machine::Resource::kFma)] +=
            cost.issued * op.gap / m_.issue.fma_units / schedulers;
        break;
      case timing::Unit::kFmaHeavy:
        heavy_ += cost.issued * op.gap / schedulers;
        of_sm_[at(machine::Resource::kFma)] +=
            cost.issued * op.gap / m_.issue.fma_units / schedulers;
        break;
      case timing::Unit::kFmaBoth:
        heavy_ += cost.issued * op.gap / schedulers;
        of_sm_[at(machine::Resource::kFma)] += cost.issued * op.gap / schedulers;
        break;
      default:
        of_sm_[at(op.resource)] += cost.issued * op.gap / schedulers;
    }
    operations_ += cost.issued * operations_of(study_.kernel().instructions[i]);
  }

  // Floating-point operations of a warp.
  static double operations_of(const read::Instruction& i) {
    if (read::arithmetic_of(i) != read::Arithmetic::kMatrix)
      return 32.0 * read::float_operations(i);
    const read::ValueType type = i.opcode->operand_type;
    if (type == read::ValueType::kF64) return 2.0 * 8 * 8 * 4;
    if (type != read::ValueType::kF16) return 0;
    if (read::has(i, read::Trait::kAsync)) return 2.0 * 16 * timing::product_columns(i) * 16;
    return 2.0 * 16 * 8 * (i.modifier("shape") == "16816" ? 16 : 8);
  }

  const Study& study_;
  const machine::Machine& m_;
  std::vector<timing::TimedOp> code_;
  std::array<double, machine::kResources> of_sm_{};
  std::array<double, machine::kResources> of_gpu_{};
  double heavy_ = 0;
  double operations_ = 0;
};

// The least cycles that each instruction's result takes.
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

// The cycles of a warp that never waits for another.
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

// Blocks that follow one another on an SM, each as long as the longest chain of its warps.
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
  const Demand demand(study);
  const machine::Machine& machine = study.machine();
  const auto time = [&](double cycles) { return machine.seconds(cycles) * 1e6; };
  std::vector<Bound> all;
  double of_sm = 0;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    const auto resource = static_cast<machine::Resource>(r);
    of_sm = std::max(of_sm, demand.of_sm(resource));
    all.push_back({std::string(machine::name(resource)),
                   time(std::max(demand.of_sm(resource), demand.of_gpu(resource)))});
  }
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
  const Demand demand(study);
  const timing::Prediction& p = study.base();
  Roofline roof;
  roof.operations = demand.operations();
  roof.dram_bytes = p.dram_read_bytes + p.dram_write_bytes;
  roof.per_second = roof.operations / p.time_us * 1e6;
  double units = 0;
  for (const machine::Resource r :
       {machine::Resource::kFma, machine::Resource::kFp64, machine::Resource::kTensor}) {
    units = std::max(units, demand.of_sm(r));
  }
  const double dram = demand.of_gpu(machine::Resource::kDram);
  roof.memory = dram > units;
  const double most = std::max(units, dram);
  if (most > 0) roof.most_per_second = roof.operations / study.machine().seconds(most);
  return roof;
}

}  // namespace burin::analyze
