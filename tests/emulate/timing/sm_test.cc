// Does an SM issue when it should? Traces made by hand, whose times can be worked out on paper.
#include "emulate/timing/sm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "timed_launch.h"

namespace burin {
namespace {

// One scheduler, blocks that start at once, nothing to fetch.
Machine plain_machine() {
  Machine m = h200();
  m.sm.schedulers = 1;
  m.dispatch.sm_gap = m.dispatch.warp_gap = m.dispatch.latency = 0;
  m.l2.size = 1 << 20;
  return m;
}

// A kernel of one block: `code` as the model sees it, and the steps of each warp.
struct Made {
  Machine machine = plain_machine();
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
  double stall(std::uint32_t instruction, Stall s) const {
    return account->costs()[instruction].stalls[static_cast<std::size_t>(s)].sum();
  }
  double stall(Stall s) const { return account->stalls()[static_cast<std::size_t>(s)].sum(); }

 private:
  void expect_conserved() const {
    double sum = account->issued();
    for (const StallCycles& s : account->stalls()) sum += s.sum();
    EXPECT_DOUBLE_EQ(sum, run.warp_cycles);
    EXPECT_EQ(stall(Stall::kMisc), 0);
    EXPECT_EQ(run.released, 0u);
  }
};

TimedOp plain(std::uint8_t stall_count = 1) {
  TimedOp op;
  op.stall = stall_count;
  return op;
}
TimedOp arithmetic(Unit unit, double gap, std::uint8_t stall_count = 1) {
  TimedOp op = plain(stall_count);
  op.unit = unit;
  op.gap = gap;
  op.latency = 4;
  return op;
}
TimedOp shared_load(std::uint8_t scoreboard) {
  TimedOp op = plain();
  op.kind = TimedOp::Kind::kMemory;
  op.unit = Unit::kLsu;
  op.timing_class = TimingClass::kMemory;
  op.write_barrier = scoreboard;
  return op;
}
Request shared_request(std::uint8_t passes = 1) {
  Request r;
  r.kind = Request::Kind::kShared;
  r.load = true;
  r.lanes = 32;
  r.bytes = 4;
  r.wavefronts = passes;
  return r;
}

TEST(Sm, AWarpIssuesOnceACycleAndWaitsTheStallCount) {
  for (const unsigned stall_count : {1u, 2u, 4u, 15u}) {
    Made made;
    const std::uint32_t op = made.op(plain(static_cast<std::uint8_t>(stall_count)));
    made.warp(std::vector<std::uint32_t>(100, op));
    made.replay();
    EXPECT_EQ(made.run.end, 99 * stall_count + 1);
    EXPECT_EQ(made.stall(Stall::kWait), 99 * (stall_count - 1));
    EXPECT_EQ(made.account->issued(), 100);
  }
}

TEST(Sm, WarpsFillOneAnothersWaits) {
  for (const unsigned warps : {1u, 2u, 4u, 8u}) {
    Made made;
    const std::uint32_t op = made.op(plain(4));
    for (unsigned w = 0; w < warps; ++w) made.warp(std::vector<std::uint32_t>(100, op));
    made.replay();
    const double least = std::max(4.0 * 99 + 1, 100.0 * warps);
    EXPECT_GE(made.run.end, least);
    EXPECT_LE(made.run.end, least + 4) << warps;
  }
}

TEST(Sm, AUnitTakesOneInstructionPerGap) {
  for (const Unit unit : {Unit::kAlu, Unit::kFp64, Unit::kTensor, Unit::kFmaHeavy}) {
    for (const double gap : {1.0, 2.0, 8.0}) {
      Made made;
      const std::uint32_t op = made.op(arithmetic(unit, gap));
      for (int w = 0; w < 4; ++w) made.warp(std::vector<std::uint32_t>(50, op));
      made.replay();
      EXPECT_EQ(made.run.end, 199 * gap + 1);
      EXPECT_EQ(made.stall(Stall::kMathPipeThrottle) > 0, gap > 1);
    }
  }
}

TEST(Sm, TwoFmaUnitsTakeTwiceAsMuch) {
  for (const double units : {1.0, 2.0}) {
    Made made;
    made.machine.issue.fma_units = units;
    const std::uint32_t op = made.op(arithmetic(Unit::kFma, 2));
    for (int w = 0; w < 8; ++w) made.warp(std::vector<std::uint32_t>(50, op));
    made.replay();
    EXPECT_NEAR(made.run.end, 400 * 2 / units, 2);
  }
}

TEST(Sm, EachSchedulerHasItsOwnUnits) {
  Made made;
  made.machine.sm.schedulers = 4;
  const std::uint32_t op = made.op(arithmetic(Unit::kAlu, 2));
  for (int w = 0; w < 4; ++w) made.warp(std::vector<std::uint32_t>(50, op));
  made.replay();
  EXPECT_EQ(made.run.end, 99);
}

// A consumer is refused one cycle before the result is there, and issues when it is.
TEST(Sm, AScoreboardIsReleasedWhenTheResultIsThere) {
  for (const double latency : {23.0, 24.0, 30.5}) {
    Made made;
    made.machine.shared.latency = latency;
    const std::uint32_t load = made.op(shared_load(0));
    TimedOp use = plain();
    use.wait_mask = 1;
    const std::uint32_t consumer = made.op(use);
    made.warp({load, consumer});
    made.request(0, 0, shared_request());
    made.replay();
    EXPECT_EQ(made.run.end, std::ceil(latency) + 1);
    EXPECT_EQ(made.stall(consumer, Stall::kShortScoreboard), std::ceil(latency) - 1);
    const std::vector<Blame> blames = made.account->blames();
    ASSERT_FALSE(blames.empty());
    EXPECT_EQ(blames[0].cause, load);
    EXPECT_EQ(blames[0].waits, consumer);
  }
}

TEST(Sm, BankConflictsTakeTheStageLonger) {
  const auto cycles = [](std::uint8_t passes) {
    Made made;
    const std::uint32_t load = made.op(shared_load(7));
    for (int w = 0; w < 8; ++w) {
      made.warp(std::vector<std::uint32_t>(40, load));
      for (std::size_t k = 0; k < 40; ++k) {
        made.request(static_cast<std::size_t>(w), k, shared_request(passes));
      }
    }
    made.replay();
    EXPECT_GT(made.stall(Stall::kMioThrottle), 0);
    return made.run.end;
  };
  EXPECT_NEAR(cycles(32) / cycles(16), 2, 0.05);
  EXPECT_GE(cycles(32), 0.95 * 8 * 40 * 32 * 128 / h200().shared.bandwidth);
}

// Two warps meet: the one that comes first waits for the other, and for the barrier's latency.
TEST(Sm, ABarrierLetsAllGoOnWhenTheLastHasCome) {
  Made made;
  made.machine.barrier.latency = 20;
  TimedOp bar = plain();
  bar.kind = TimedOp::Kind::kBarrier;
  bar.block_barrier = true;
  const std::uint32_t slow = made.op(plain(10));
  const std::uint32_t early = made.op(bar);
  const std::uint32_t late = made.op(bar);
  const std::uint32_t after = made.op(plain());
  made.warp({early, after});
  made.warp({slow, slow, slow, late, after});
  Request meet;
  meet.kind = Request::Kind::kBarrier;
  meet.phases = 1;
  made.trace.phases = {{.barrier = 0, .phase = 0, .arrives = true, .waits = true},
                       {.barrier = 0, .phase = 0, .arrives = true, .waits = true}};
  made.trace.arrivals = {{2}};
  made.request(0, 0, meet);
  meet.first_phase = 1;
  made.request(1, 3, meet);
  made.replay();
  // The slow one arrives between 30 and 31; both go on 20 later, one behind the other.
  EXPECT_GE(made.run.end, 30 + 20 + 2);
  EXPECT_LE(made.run.end, 31 + 20 + 2);
  EXPECT_GE(made.stall(after, Stall::kBarrier), 2 * 19 + 28);
  EXPECT_EQ(made.stall(slow, Stall::kBarrier), 0);
  const std::vector<Blame> blames = made.account->blames();
  const auto worst = std::ranges::find(blames, Stall::kBarrier, &Blame::stall);
  ASSERT_NE(worst, blames.end());
  EXPECT_EQ(worst->cause, late) << "who came last";
}

// Two warps of the same plain steps, ready at once. What each waits for the other tells the order.
struct Waits {
  double older = 0;
  double younger = 0;
  bool operator==(const Waits&) const = default;
};
Waits waits(IssuePolicy policy) {
  Made made;
  made.machine.issue.policy = policy;
  const std::uint32_t older = made.op(plain());
  const std::uint32_t younger = made.op(plain());
  made.warp(std::vector<std::uint32_t>(10, older));
  made.warp(std::vector<std::uint32_t>(10, younger));
  made.replay();
  EXPECT_EQ(made.run.end, 20) << "no policy leaves a cycle unused";
  return {made.stall(older, Stall::kNotSelected), made.stall(younger, Stall::kNotSelected)};
}

TEST(Sm, PoliciesTakeWarpsInTheirOwnOrder) {
  EXPECT_EQ(waits(IssuePolicy::kGreedyYoungest), (Waits{10, 0}));
  EXPECT_EQ(waits(IssuePolicy::kGreedyOldest), (Waits{0, 10}));
  const Waits turns = waits(IssuePolicy::kRoundRobin);
  EXPECT_NEAR(turns.older, 9.5, 0.5);
  EXPECT_NEAR(turns.younger, 9.5, 0.5);
}

// Yield gives the turn away, to the warp that greed would have kept waiting.
TEST(Sm, AYieldEndsAWarpsTurn) {
  Made made;
  made.machine.issue.policy = IssuePolicy::kGreedyOldest;
  TimedOp first = plain(3);
  const std::uint32_t pause = made.op(first);
  TimedOp gives = plain();
  gives.yield = true;
  const std::uint32_t yields = made.op(gives);
  made.warp({pause, pause, pause, pause});
  made.warp(std::vector<std::uint32_t>(8, yields));
  made.replay();
  EXPECT_EQ(made.stall(pause, Stall::kNotSelected), 0)
      << "the oldest is taken whenever it is ready";
}

TEST(Sm, BlocksFollowOneAnother) {
  Made made;
  const std::uint32_t op = made.op(plain(4));
  made.warp(std::vector<std::uint32_t>(50, op));
  made.replay(6, 2);
  ASSERT_EQ(made.run.blocks.size(), 6u);
  std::vector<double> ends;
  for (const BlockTimes& b : made.run.blocks) ends.push_back(b.end);
  std::sort(ends.begin(), ends.end());
  for (std::size_t b = 2; b < 6; ++b) {
    EXPECT_EQ(made.run.blocks[b].begin, ends[b - 2]) << "two at a time";
  }
  EXPECT_NEAR(made.run.end, 3 * (4 * 49 + 1), 6);
  EXPECT_EQ(made.run.replayed, 300u);
}

// A taken branch costs until its target is known; one to the next instruction does not.
TEST(Sm, ATakenBranchWaitsForItsTarget) {
  Made made;
  made.machine.issue.branch = 12;
  TimedOp jump = plain(5);
  jump.kind = TimedOp::Kind::kBranch;
  const std::uint32_t branch = made.op(jump);
  const std::uint32_t next = made.op(plain());
  const std::uint32_t target = made.op(plain());
  made.warp({branch, target});
  made.replay();
  EXPECT_EQ(made.run.end, 13);
  EXPECT_EQ(made.stall(target, Stall::kBranchResolving), 12 - 5);
  made.trace.warps.clear();
  made.warp({branch, next});
  made.replay();
  EXPECT_EQ(made.run.end, 6);
}

// All that an instruction can wait for at once: its code, its constant and all six scoreboards, the
// later ones released later. Each has its stretch.
TEST(Sm, AnInstructionMayWaitForEverything) {
  Made made;
  std::vector<std::uint32_t> steps;
  for (std::uint8_t board = 0; board < 6; ++board) {
    TimedOp load = shared_load(board);
    load.stall = 2;
    steps.push_back(made.op(load));
  }
  TimedOp all = plain();
  all.wait_mask = 0x3f;
  all.constant = 3;
  all.fetch_line = 1;
  steps.push_back(made.op(all));
  made.machine.fetch.l1_latency = made.machine.fetch.l2_latency = 2;
  made.machine.fetch.l1_gap = made.machine.fetch.l2_gap = 0;
  made.machine.constant.cold_latency = 10;
  made.warp(steps);
  for (std::size_t k = 0; k < 6; ++k) {
    made.request(0, k, shared_request(static_cast<std::uint8_t>(1 + 4 * k)));
  }
  made.replay(1, 1, true);
  std::set<std::uint32_t> causes;
  for (const Blame& b : made.account->blames())
    if (b.stall == Stall::kShortScoreboard) causes.insert(b.cause);
  EXPECT_GE(causes.size(), 5u) << "one scoreboard after another";
}

}  // namespace
}  // namespace burin
