#include "analyze/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "read/isa/traits.h"
#include "timing/code/timed_code.h"

namespace burin {

namespace {

constexpr unsigned kScoreboards = 6;

// What the machine's units have to do, in cycles of the whole GPU's SMs.
class Demand {
 public:
  explicit Demand(const Study& study)
      : study_(study), m_(study.machine()), code_(timed_code(study.kernel(), m_)) {
    for (std::size_t i = 0; i < code_.size(); ++i) add(i);
    const Prediction& p = study.base();
    const double sms = static_cast<double>(study.traced().share.sms);
    for (double& cycles : of_sm_) cycles /= sms;
    of_sm_[at(Resource::kFma)] = std::max(of_sm_[at(Resource::kFma)], heavy_ / sms);
    of_gpu_[at(Resource::kL2)] = p.l2_bytes / m_.l2.bandwidth / std::max(1.0, m_.l2.sharing);
    of_gpu_[at(Resource::kDram)] =
        p.dram_read_bytes / m_.dram.bandwidth + p.dram_write_bytes / m_.dram.write_bandwidth;
  }

  double of_sm(Resource r) const { return of_sm_[at(r)]; }    // cycles, SMs evenly loaded
  double of_gpu(Resource r) const { return of_gpu_[at(r)]; }  // cycles
  double operations() const { return operations_; }

 private:
  static std::size_t at(Resource r) { return static_cast<std::size_t>(r); }

  void add(std::size_t i) {
    const InstructionCost& cost = study_.base().costs[i];
    const TimedOp& op = code_[i];
    const double schedulers = m_.sm.schedulers;
    of_sm_[at(Resource::kIssue)] += cost.issued / schedulers;
    switch (op.unit) {
      case Unit::kNone:
      case Unit::kBulk:
        break;
      case Unit::kLsu: {
        const bool shared = study_.kernel().instructions[i].opcode->space == Space::kShared;
        const double bandwidth = shared ? m_.shared.bandwidth : m_.l1.bandwidth;
        of_sm_[at(Resource::kLsu)] += cost.issued * m_.lsu.gap;
        of_sm_[at(shared ? Resource::kShared : Resource::kL1)] +=
            cost.passes * kLineBytes / bandwidth;
        break;
      }
      case Unit::kFma:
        of_sm_[at(Resource::kFma)] += cost.issued * op.gap / m_.issue.fma_units / schedulers;
        break;
      case Unit::kFmaHeavy:
        heavy_ += cost.issued * op.gap / schedulers;
        of_sm_[at(Resource::kFma)] += cost.issued * op.gap / m_.issue.fma_units / schedulers;
        break;
      case Unit::kFmaBoth:
        heavy_ += cost.issued * op.gap / schedulers;
        of_sm_[at(Resource::kFma)] += cost.issued * op.gap / schedulers;
        break;
      default:
        of_sm_[at(op.resource)] += cost.issued * op.gap / schedulers;
    }
    operations_ += cost.issued * operations_of(study_.kernel().instructions[i]);
  }

  // Floating-point operations of a warp.
  static double operations_of(const Instruction& i) {
    if (arithmetic_of(i) != Arithmetic::kMatrix) return 32.0 * float_operations(i);
    const ValueType type = i.opcode->operand_type;
    if (type == ValueType::kF64) return 2.0 * 8 * 8 * 4;
    if (type != ValueType::kF16) return 0;
    if (has(i, Trait::kAsync)) return 2.0 * 16 * product_columns(i) * 16;
    return 2.0 * 16 * 8 * (i.modifier("shape") == "16816" ? 16 : 8);
  }

  const Study& study_;
  const Machine& m_;
  std::vector<TimedOp> code_;
  std::array<double, kResources> of_sm_{};
  std::array<double, kResources> of_gpu_{};
  double heavy_ = 0;
  double operations_ = 0;
};

// The least cycles that each instruction's result takes.
std::vector<double> least_latencies(const Study& study, const std::vector<TimedOp>& code) {
  const Machine& m = study.machine();
  std::vector<double> least(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    const InstructionCost& cost = study.base().costs[i];
    least[i] = code[i].latency;
    if (code[i].kind != TimedOp::Kind::kMemory) continue;
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
double chain_of(const std::vector<TraceStep>& steps, const std::vector<TimedOp>& code,
                const std::vector<double>& least) {
  std::array<double, kScoreboards> release{};
  double now = 0;
  for (const TraceStep& step : steps) {
    const TimedOp& op = code[step.instruction];
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
  const TracedLaunch& traced = study.traced();
  const std::vector<TimedOp> code = timed_code(study.kernel(), study.machine());
  const std::vector<double> least = least_latencies(study, code);
  const auto longest = [&](const BlockTrace& trace) {
    double most = 0;
    for (const auto& steps : trace.warps) most = std::max(most, chain_of(steps, code, least));
    return most;
  };
  if (traced.strides.alike) {
    const std::uint64_t rounds = (traced.share.count + traced.resident - 1) / traced.resident;
    return longest(traced.reference) * static_cast<double>(rounds);
  }
  double most = 0;
  for (const TracedWindow& window : traced.windows) {
    for (const BlockTrace& trace : window.traces) most = std::max(most, longest(trace));
  }
  return most;
}

}  // namespace

std::vector<Bound> bounds(const Study& study) {
  const Demand demand(study);
  const Machine& machine = study.machine();
  const auto time = [&](double cycles) { return machine.seconds(cycles) * 1e6; };
  std::vector<Bound> all;
  double of_sm = 0;
  for (std::size_t r = 0; r < kResources; ++r) {
    const auto resource = static_cast<Resource>(r);
    of_sm = std::max(of_sm, demand.of_sm(resource));
    all.push_back({std::string(name(resource)),
                   time(std::max(demand.of_sm(resource), demand.of_gpu(resource)))});
  }
  const SmShare& share = study.traced().share;
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
  const Prediction& p = study.base();
  Roofline roof;
  roof.operations = demand.operations();
  roof.dram_bytes = p.dram_read_bytes + p.dram_write_bytes;
  roof.per_second = roof.operations / p.time_us * 1e6;
  double units = 0;
  for (const Resource r : {Resource::kFma, Resource::kFp64, Resource::kTensor}) {
    units = std::max(units, demand.of_sm(r));
  }
  const double dram = demand.of_gpu(Resource::kDram);
  roof.memory = dram > units;
  const double most = std::max(units, dram);
  if (most > 0) roof.most_per_second = roof.operations / study.machine().seconds(most);
  return roof;
}

}  // namespace burin
