// Does every entry of a machine matter? Each is changed in turn, and the occupancy of a block or
// the prediction of a small launch must change with it. An entry that nothing reads fails here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "machine/entries.h"
#include "machine/occupancy.h"
#include "made_block.h"
#include "timed_launch.h"
#include "timing/grid/replay.h"
#include "timing/result/kernel_needs.h"
#include "timing/saake/saake.h"
#include "timing/trace/traced_launch.h"

namespace burin::timing {
namespace {

using Outcome = std::vector<double>;  // everything that a prediction says, in some order

const PredictOptions kOneThread{.threads = 1};

// An H200 with few SMs, a small L2 cache and slow tensor cores, which small launches fill.
machine::Machine small_machine() {
  machine::Machine machine = h200();
  machine.sm.count = 8;
  machine.cluster.sms = 6;
  machine.cluster.turn = 3;
  machine.l2.size = 1 << 18;
  machine.constant.size = machine.constant.line;
  machine.classes[static_cast<std::size_t>(machine::TimingClass::kWgmma)].gap *= 100;
  return machine;
}

Outcome outcome_of(const Prediction& p) {
  Outcome all = {p.cycles,          p.time_us,          p.clock_mhz,   p.launch_cycles,
                 p.warp_cycles,     p.issued,           p.waves,       p.l1_hit_rate,
                 p.dram_read_bytes, p.dram_write_bytes, p.l2_hit_rate, p.tail_share};
  all.insert(all.end(), p.busy.begin(), p.busy.end());
  for (const launch::StallCycles& stall : p.stalls) all.push_back(stall.sum());
  return all;
}

Outcome outcome_of(const Result<Prediction>& p) {
  return p ? outcome_of(*p) : Outcome{};
}

// Blocks that are each limited by something else, or refused.
std::vector<double> occupancies(const machine::Machine& machine) {
  const machine::KernelNeeds needs[] = {
      {.threads = 1024, .registers = 32},
      {.threads = 32, .registers = 16},
      {.threads = 128, .registers = 255},
      {.threads = 256, .registers = 250},
      {.threads = 288, .registers = 129},
      {.threads = 64, .registers = 32, .shared = 232448},
      {.threads = 64, .registers = 32, .shared = 5000},
      {.threads = 64, .registers = 32, .shared = 100},
      {.threads = 32, .registers = 16, .shared = 0, .barriers = 16},
      {.threads = 64, .registers = 32, .shared = 0, .barriers = 1, .cluster = 4},
  };
  std::vector<double> all;
  for (const machine::KernelNeeds& need : needs) {
    const Result<machine::Occupancy> found = machine::occupancy(machine, need);
    all.push_back(found ? static_cast<double>(found->blocks) : -1);
    all.push_back(found ? static_cast<double>(found->l1) : -1);
    all.push_back(found ? static_cast<double>(found->shared_per_block) : -1);
  }
  return all;
}

// Values for an entry other than its own, the nearer ones first.
std::vector<double> other_values(const machine::MachineEntry& entry, double value) {
  std::vector<double> values;
  for (const double other : {2 * value, value / 2, std::ceil(value / 2), value + 1, entry.least,
                             std::min(entry.most, 64 * value)}) {
    if (other != value && other >= entry.least && other <= entry.most) values.push_back(other);
  }
  return values;
}

// A launch that is traced once, and then replayed on one machine after the other.
class Probe {
 public:
  Probe(const std::string& line, const machine::Machine& machine)
      : launch_(line), machine_(machine) {
    for (const read::Instruction& i : launch_.kernel().instructions) {
      if (i.known()) classes_.insert(machine::timing_class(i));
    }
    const Result<machine::Occupancy> fits =
        machine::occupancy(machine, needs_of(launch_.kernel(), launch_.launch()));
    if (!fits) {
      ADD_FAILURE() << line << ": " << fits.error().message;
      return;
    }
    Result<std::unique_ptr<TracedLaunch>> traced =
        trace_launch(launch_.kernel(), launch_.launch(), machine, *fits, kOneThread);
    if (!traced) {
      ADD_FAILURE() << line << ": " << traced.error().message;
      return;
    }
    traced_ = std::move(*traced);
    replayed_ = replay(machine);
  }

  bool has(machine::TimingClass timing_class) const { return classes_.contains(timing_class); }
  bool replay_shows(const machine::Machine& other) const { return replay(other) != replayed_; }
  // With other numbers of SMs or blocks, other blocks are traced.
  bool prediction_shows(const machine::Machine& other) const {
    return predict(other) != predict(machine_);
  }
  bool saake_shows(const machine::Machine& other) const { return saake(other) != saake(machine_); }

 private:
  Outcome replay(const machine::Machine& machine) const {
    return outcome_of(burin::timing::replay(*traced_, machine, kOneThread));
  }
  Outcome saake(const machine::Machine& machine) const {
    return outcome_of(predict_saake(launch_.kernel(), launch_.launch(), machine, kOneThread));
  }

  Outcome predict(const machine::Machine& machine) const {
    return outcome_of(launch_.predict(machine, kOneThread));
  }

  TimedLaunch launch_;
  machine::Machine machine_;
  std::set<machine::TimingClass> classes_;
  std::unique_ptr<TracedLaunch> traced_;
  Outcome replayed_;
};

// ConcurrentRun they use every unit, cache, queue and barrier.
constexpr const char* kLaunches[] = {
    "saxpy/odd",
    "gather/odd",
    "scatter/odd",
    "transpose_naive/odd",
    "transpose_padded/tiny",
    "transpose_shared/tiny",
    "scale_float4/tiny",
    "atomics_32/tiny",
    "atomics_64/tiny",
    "atomic_sums/tiny",
    "atomics_shared/tiny",
    "cas_maximum/tiny",
    "functions_fast/tiny",
    "functions_f64/tiny",
    "divide_64/tiny",
    "bit_tricks/tiny",
    "sha256/large",
    "votes/tiny",
    "shuffles/tiny",
    "axpy_half/tiny",
    "wmma_f16/tiny",
    "wmma_f16_sums/tiny",
    "mma_tf32/tiny",
    "mma_s8/tiny",
    "mma_f64/tiny",
    "function_table/tiny",
    "early_exits/tiny",
    "barrier_votes/tiny",
    "paired_warps/tiny",
    "chained_sums/tiny",
    "idle_blocks/odd",
    "bulk_copy/tiny",
    "tensor_add/tiny",
    "stmatrix_epilogue/tiny",
    "wgmma_registers/tiny",
    "cluster_sum/four",
};

// Of `class.NAME.…`.
std::optional<machine::TimingClass> class_of(const machine::MachineEntry& entry) {
  if (!entry.name.starts_with("class.")) return std::nullopt;
  return static_cast<machine::TimingClass>(entry.index);
}

// No kernel of the corpus has HMMA.1688 or IMMA.16816: of these, two instructions on one SM, the
// second of which needs the first.
double cycles_of_two(machine::TimingClass timing_class, const machine::Machine& machine) {
  MadeBlock made;
  made.machine = machine;
  TimedOp op;
  set_class(op, timing_class, machine);
  op.write_barrier = 0;
  const std::uint32_t first = made.op(op);
  op.wait_mask = 1;
  made.warp({first, made.op(op), made.op(TimedOp{.kind = TimedOp::Kind::kExit, .wait_mask = 1})});
  made.warp({first});
  made.replay();
  return made.run.end;
}

class Probes {
 public:
  Probes() {
    for (const char* line : kLaunches) probes_.push_back(std::make_unique<Probe>(line, machine_));
  }

  bool matters(const machine::MachineEntry& entry) const {
    std::vector<machine::Machine> others;
    for (const double value : other_values(entry, entry.in(machine_))) {
      entry.in(others.emplace_back(machine_)) = value;
    }
    const auto any = [&](auto shows) { return std::ranges::any_of(others, shows); };
    const std::vector<double> usual = occupancies(machine_);
    if (any([&](const machine::Machine& m) { return occupancies(m) != usual; })) return true;
    const std::optional<machine::TimingClass> of = class_of(entry);
    // The first value shows in all launches that an entry matters to, mostly.
    const auto any_probe = [&](bool (Probe::*shows)(const machine::Machine&) const) {
      return any([&](const machine::Machine& m) {
        return std::ranges::any_of(probes_, [&](const auto& probe) {
          return (!of || probe->has(*of)) && ((*probe).*shows)(m);
        });
      });
    };
    return any_probe(&Probe::replay_shows) || any_probe(&Probe::saake_shows) ||
           (of && any([&](const machine::Machine& m) {
              return cycles_of_two(*of, m) != cycles_of_two(*of, machine_);
            })) ||
           any_probe(&Probe::prediction_shows);
  }

 private:
  machine::Machine machine_ = small_machine();
  std::vector<std::unique_ptr<Probe>> probes_;
};

TEST(MachineEntries, EachMatters) {
  const Probes probes;
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    if (entry.kind == machine::MachineEntry::Kind::kDescription) continue;
    EXPECT_TRUE(probes.matters(entry)) << entry.name << " is read by nothing";
  }
}

}  // namespace
}  // namespace burin::timing
