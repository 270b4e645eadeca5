// A block made by hand, replayed on one SM: times that can be worked out on paper.
//
//   MadeBlock made;
//   const std::uint32_t op = made.op(plain(4));     // an instruction with a stall count of 4
//   made.warp({op, op});                            // a warp that executes it twice
//   made.replay();
//   EXPECT_EQ(made.run.end, 5);
//
// Every replay checks that issues and stalls add up to the warp-cycles.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "timed_launch.h"
#include "timing/sm/sm.h"

namespace burin::timing {

// One scheduler, blocks that start at once, nothing to fetch.
inline machine::Machine plain_machine() {
  machine::Machine m = h200();
  m.sm.schedulers = 1;
  m.dispatch.sm_gap = m.dispatch.warp_gap = m.dispatch.latency = 0;
  m.l2.size = 1 << 20;
  return m;
}

// A kernel of one block: `code` as the model sees it, and the steps of each warp.
struct MadeBlock {
  machine::Machine machine = plain_machine();
  std::vector<TimedOp> code{};
  BlockTrace trace{};
  SmRun run{};
  std::unique_ptr<Account> account{};

  std::uint32_t op(const TimedOp& o) {
    code.push_back(o);
    return static_cast<std::uint32_t>(code.size() - 1);
  }
  void warp(const std::vector<std::uint32_t>& instructions) {
    auto& steps = trace.warps.emplace_back();
    for (const std::uint32_t i : instructions) steps.push_back({i & 0x7fffffff, 0, kNoRequest});
  }
  // The request of a warp's step.
  void request(std::size_t of, std::size_t step, const Request& r) {
    trace.warps[of][step].request = static_cast<std::uint32_t>(trace.requests.size());
    trace.requests.push_back(r);
  }
  void replay(unsigned blocks = 1, unsigned resident = 1, bool cold = false) {
    Sections sections;
    for (const auto& steps : trace.warps) {
      sections.push_back({{0, static_cast<std::uint32_t>(steps.size()), 1}});
    }
    const std::vector<BlockJob> jobs(
        blocks, {.trace = &trace, .sections = &sections, .own = {}, .others = {}});
    StrideTable strides;
    strides.of.resize(code.size());
    MemorySystem memory(machine, strides, {});
    account = std::make_unique<Account>(code.size());
    Sm sm(machine, code, memory, *account, {.resident = resident, .cold = cold});
    run = sm.run(jobs);
    expect_conserved();
  }
  double stall(std::uint32_t instruction, launch::Stall s) const {
    return account->costs()[instruction].stalls[static_cast<std::size_t>(s)].sum();
  }
  double stall(launch::Stall s) const {
    return account->stalls()[static_cast<std::size_t>(s)].sum();
  }

 private:
  void expect_conserved() const {
    double sum = account->issued();
    for (const launch::StallCycles& s : account->stalls()) sum += s.sum();
    EXPECT_DOUBLE_EQ(sum, run.warp_cycles);
    EXPECT_EQ(stall(launch::Stall::kMisc), 0);
    EXPECT_EQ(run.released, 0u);
  }
};

inline TimedOp plain(std::uint8_t stall_count = 1) {
  TimedOp op;
  op.stall = stall_count;
  return op;
}
inline TimedOp arithmetic(Unit unit, double gap, std::uint8_t stall_count = 1) {
  TimedOp op = plain(stall_count);
  op.unit = unit;
  op.gap = gap;
  op.latency = 4;
  return op;
}
inline TimedOp shared_load(std::uint8_t scoreboard) {
  TimedOp op = plain();
  op.kind = TimedOp::Kind::kMemory;
  op.unit = Unit::kLsu;
  op.timing_class = machine::TimingClass::kMemory;
  op.write_barrier = scoreboard;
  return op;
}
inline Request shared_request(std::uint8_t passes = 1) {
  Request r;
  r.kind = Request::Kind::kShared;
  r.load = true;
  r.lanes = 32;
  r.bytes = 4;
  r.wavefronts = passes;
  return r;
}

}  // namespace burin::timing
