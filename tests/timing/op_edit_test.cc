// Is what is taken away from an instruction gone, to the cycle, and nothing else?
#include "timing/code/op_edit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "made_block.h"

namespace burin::timing {
namespace {

// A load and an instruction that waits for it.
struct LoadAndUse {
  MadeBlock made{};
  std::uint32_t load = 0;
  std::uint32_t use = 0;

  explicit LoadAndUse(std::uint8_t passes = 1) {
    load = made.op(shared_load(0));
    TimedOp waits = plain();
    waits.wait_mask = 1;
    use = made.op(waits);
    made.warp({load, use});
    made.request(0, 0, shared_request(passes));
  }
  // With the edits of the load.
  double end(const OpEdit& edit) {
    std::vector<TimedOp> code = made.code;
    const std::vector<OpEdit> edits = {edit, {}};
    edit_code(edits, made.machine, made.code);
    made.replay();
    made.code = code;
    return made.run.end;
  }
};

TEST(OpEdit, AHiddenResultIsThereAtOnce) {
  LoadAndUse both;
  const double latency = both.made.machine.shared.latency;
  EXPECT_EQ(both.end({}), std::ceil(latency) + 1);
  EXPECT_EQ(both.end({.hidden = true}), 2);
  EXPECT_EQ(both.made.stall(launch::Stall::kShortScoreboard), 0);
}

TEST(OpEdit, WhatIsLeftOutTakesNoTime) {
  LoadAndUse both;
  EXPECT_EQ(both.end({.share = 0}), 1);
  EXPECT_EQ(both.made.account->costs()[both.load].issued, 0);
  EXPECT_EQ(both.made.account->issued(), 1);
}

TEST(OpEdit, AShareIsLeftOutEvenly) {
  for (const double share : {0.25, 0.5, 0.75}) {
    MadeBlock made;
    TimedOp op = plain();
    op.share = share;
    const std::uint32_t some = made.op(op);
    made.warp(std::vector<std::uint32_t>(1000, some));
    made.replay();
    EXPECT_NEAR(made.account->costs()[some].issued, 1000 * share, 2);
    EXPECT_NEAR(made.run.end, 1000 * share, 2);
  }
}

TEST(OpEdit, AWholeWarpMayBeLeftOut) {
  MadeBlock made;
  TimedOp op = plain();
  op.share = 0;
  const std::uint32_t gone = made.op(op);
  const std::uint32_t kept = made.op(plain());
  made.warp({gone, gone});
  made.warp({gone, kept, gone});
  made.replay();
  EXPECT_EQ(made.account->issued(), 1);
  EXPECT_EQ(made.run.end, 1);
}

// A branch that is not taken is none because what follows it is left out.
TEST(OpEdit, LeavingOutTakesNoBranch) {
  MadeBlock made;
  TimedOp branch = plain();
  branch.kind = TimedOp::Kind::kBranch;
  const std::uint32_t jump = made.op(branch);
  TimedOp op = plain();
  op.share = 0;
  const std::uint32_t gone = made.op(op);
  const std::uint32_t kept = made.op(plain());
  made.warp({jump, gone, kept});
  made.replay();
  EXPECT_EQ(made.stall(launch::Stall::kBranchResolving), 0);
  EXPECT_EQ(made.run.end, 2);
}

TEST(OpEdit, TheEndOfAWarpIsNeverLeftOut) {
  TimedOp exit = plain();
  exit.kind = TimedOp::Kind::kExit;
  std::vector<TimedOp> code = {exit, plain()};
  const std::vector<OpEdit> edits(2, {.share = 0});
  edit_code(edits, plain_machine(), code);
  EXPECT_EQ(code[0].share, 1);
  EXPECT_EQ(code[1].share, 0);
}

TEST(OpEdit, AnotherClassHasItsOwnUnit) {
  const machine::Machine machine = plain_machine();
  TimedOp fp64 = arithmetic(Unit::kFp64, 16);
  fp64.timing_class = machine::TimingClass::kFp64;
  fp64.bank_reads = {3, 3};
  std::vector<TimedOp> code = {fp64};
  const std::vector<OpEdit> edits = {{.timed_as = machine::TimingClass::kFma}};
  edit_code(edits, machine, code);
  EXPECT_EQ(code[0].unit, Unit::kFma);
  EXPECT_EQ(code[0].resource, machine::Resource::kFma);
  EXPECT_EQ(code[0].gap, machine.of(machine::TimingClass::kFma).gap);
  EXPECT_EQ(code[0].latency, machine.of(machine::TimingClass::kFma).latency);
  EXPECT_EQ(code[0].bank_reads[0], 1);
}

TEST(OpEdit, OneMayBecomeSeveralOfAnotherClass) {
  const machine::Machine machine = plain_machine();
  std::vector<TimedOp> code = {arithmetic(Unit::kFp64, 16)};
  const std::vector<OpEdit> edits = {{.timed_as = machine::TimingClass::kAlu, .times = 32}};
  edit_code(edits, machine, code);
  const machine::ClassTiming& alu = machine.of(machine::TimingClass::kAlu);
  EXPECT_EQ(code[0].slots, 32);
  EXPECT_EQ(code[0].gap, 32 * alu.gap);
  EXPECT_DOUBLE_EQ(code[0].latency, alu.latency + 31 * alu.gap);
}

// Two warps at a barrier, of which one comes late.
TEST(OpEdit, AnUnguardedBarrierIsPassed) {
  for (const bool unguarded : {false, true}) {
    MadeBlock made;
    TimedOp bar = plain();
    bar.kind = TimedOp::Kind::kBarrier;
    bar.block_barrier = true;
    bar.unguarded = unguarded;
    const std::uint32_t barrier = made.op(bar);
    const std::uint32_t slow = made.op(plain(100));
    const std::uint32_t after = made.op(plain());
    made.warp({barrier, after});
    made.warp({slow, barrier, after});
    made.trace.arrivals = {{2}};
    Request request;
    request.kind = Request::Kind::kBarrier;
    request.phases = 1;
    made.trace.phases = {{0, 0, true, true}, {0, 0, true, true}};
    made.request(0, 0, request);
    request.first_phase = 1;
    made.request(1, 1, request);
    made.replay();
    EXPECT_EQ(made.stall(launch::Stall::kBarrier) > 0, !unguarded);
  }
}

TEST(OpEdit, FetchedCodeIsAtHand) {
  for (const bool fetched : {false, true}) {
    MadeBlock made;
    TimedOp op = plain();
    op.fetched = fetched;
    const std::uint32_t one = made.op(op);
    made.warp({one});
    made.replay(1, 1, true);
    EXPECT_EQ(made.stall(launch::Stall::kNoInstruction) > 0, !fetched);
  }
}

}  // namespace
}  // namespace burin::timing
