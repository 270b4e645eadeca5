// What warps and blocks pay for meeting at one place: atomics, fences, matches, copies of a line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "made_block.h"
#include "timed_launch.h"
#include "timing/memory/l2_contents.h"
#include "timing/trace/sections.h"

namespace burin::timing {
namespace {

constexpr std::uint64_t kSharedLine = 1 << 30;

TimedOp fence() {
  TimedOp op = plain();
  op.kind = TimedOp::Kind::kMembar;
  op.fence = true;
  return op;
}

TimedOp global_load(std::uint8_t board) {
  TimedOp op = plain();
  op.kind = TimedOp::Kind::kMemory;
  op.timing_class = machine::TimingClass::kMemory;
  op.unit = Unit::kLsu;
  op.queue_global = op.long_scoreboard = true;
  op.write_barrier = board;
  return op;
}

// A line that all of them ask for.
Request one_line(MadeBlock& made) {
  made.trace.lines = {LineUse(kSharedLine, 1)};
  Request r;
  r.load = true;
  r.lanes = 32;
  r.bytes = 4;
  r.wavefronts = 1;
  r.lines = 1;
  return r;
}

TEST(Contention, AFenceTakesLongerBehindAnAccess) {
  const auto cycles = [](bool load_between) {
    MadeBlock made;
    const std::uint32_t first = made.op(fence());
    const std::uint32_t load = made.op(global_load(7));
    const std::uint32_t other = made.op(plain());
    made.warp({first, load_between ? load : other, first, other});
    Request guarded;
    guarded.kind = Request::Kind::kFence;
    made.request(0, 0, guarded);
    made.request(0, 2, guarded);
    if (load_between) made.request(0, 1, one_line(made));
    made.replay();
    return made.run.end;
  };
  const machine::Machine m = h200();
  EXPECT_NEAR(cycles(false), 2 * m.l2.fence, 10);
  EXPECT_NEAR(cycles(true) - cycles(false), m.l2.fence_used - m.l2.fence, 10);
}

// A fence whose guard fails has no request, and no cost.
TEST(Contention, AFenceThatIsNotTakenCostsNothing) {
  MadeBlock made;
  const std::uint32_t guarded = made.op(fence());
  made.warp({guarded, made.op(plain())});
  made.replay();
  EXPECT_LT(made.run.end, 20);
}

TEST(Contention, AMatchTakesLongerForMoreValues) {
  const auto cycles = [](std::uint8_t values) {
    MadeBlock made;
    TimedOp match = plain();
    match.unit = Unit::kXu;
    match.write_barrier = 0;
    TimedOp use = plain();
    use.wait_mask = 1;
    const std::uint32_t a = made.op(match);
    const std::uint32_t b = made.op(use);
    made.warp({a, b});
    Request r;
    r.kind = Request::Kind::kMatch;
    r.wavefronts = values;
    made.request(0, 0, r);
    made.replay();
    return made.run.end;
  };
  const machine::Machine m = h200();
  EXPECT_EQ(cycles(16) - cycles(1), 15 * m.lsu.match_value);
  EXPECT_EQ(cycles(1), std::ceil(m.lsu.match_latency + m.lsu.match_value) + 1);
}

// Loads by one or several warps, each of which waits for its own; `wavefronts` banks or words each.
double loading_cycles(Request::Kind kind, std::uint8_t wavefronts, unsigned warps) {
  MadeBlock made;
  TimedOp load = global_load(0);
  load.queue_global = load.long_scoreboard = false;
  if (kind == Request::Kind::kConstant) {
    load.timing_class = machine::TimingClass::kConstantLoad;
  }
  TimedOp use = plain();
  use.wait_mask = 1;
  const std::uint32_t a = made.op(load);
  const std::uint32_t b = made.op(use);
  Request r;
  r.kind = kind;
  r.load = true;
  r.lanes = 32;
  r.bytes = 4;
  r.wavefronts = wavefronts;
  for (unsigned w = 0; w < warps; ++w) {
    made.warp({a, b});
    made.request(w, 0, r);
  }
  made.replay();
  return made.run.end;
}

// As bench/calibration/indexed_constants.cu measures it: a warp waits longer for each word or bank
// than the SM takes for it.
TEST(Contention, OneWarpWaitsLongerForItsConflictsThanTheSmIsBusy) {
  const machine::Machine m = h200();
  const auto cycles = [](unsigned wavefronts, unsigned warps) {
    return loading_cycles(Request::Kind::kShared, static_cast<std::uint8_t>(wavefronts), warps);
  };
  EXPECT_NEAR(cycles(32, 1) - cycles(1, 1), 31 * m.shared.conflict_latency, 2);
  EXPECT_NEAR(cycles(32, 16) - cycles(32, 8), 8 * 32 * 128 / m.shared.bandwidth, 16);
}

TEST(Contention, OneWarpWaitsLongerForItsConstantsThanTheSmIsBusy) {
  const machine::Machine m = h200();
  const auto cycles = [](unsigned words, unsigned warps) {
    return loading_cycles(Request::Kind::kConstant, static_cast<std::uint8_t>(words), warps);
  };
  EXPECT_NEAR(cycles(32, 1) - cycles(1, 1), 31 * m.constant.word_latency, 2);
  EXPECT_LT(cycles(32, 16) - cycles(32, 8), 8 * 31 * m.constant.word_latency);
}

// Until one line has come twice, the second time after the first.
struct SecondLoad {
  bool strong = false;
  bool invalidates = false;  // a fence between the two empties the L1
};
auto cycles_of(SecondLoad how) {
  MadeBlock made;
  const std::uint32_t load = made.op(global_load(0));
  TimedOp use = plain();
  use.wait_mask = 1;
  use.empties_l1 = how.invalidates;
  const std::uint32_t wait = made.op(use);
  made.warp({load, wait, load, wait});
  Request r = one_line(made);
  r.strong = how.strong;
  made.request(0, 0, r);
  made.request(0, 2, r);
  Request fence_request;
  fence_request.kind = Request::Kind::kFence;
  if (how.invalidates) made.request(0, 1, fence_request);
  made.replay();
  return made.run.end;
}

// The L1 has the line; who must see what others have written asks the L2 cache all the same.
TEST(Contention, AStrongLoadDoesNotHitL1) {
  const machine::Machine m = h200();
  EXPECT_NEAR(cycles_of({.strong = true}) - cycles_of({}), m.l2.latency - m.l1.latency, 20);
}

// … and a fence leaves nothing in it.
TEST(Contention, InvalidatingEmptiesL1) {
  EXPECT_GT(cycles_of({.invalidates = true}), cycles_of({}) + 200);
}

TEST(Contention, AWriteVoidsTheOtherPartitionsCopy) {
  StrideTable strides;
  strides.of.resize(1);
  strides.of[0].kind = Strides::Kind::kAffine;
  const std::vector<BlockStep> others(1);  // one SM of the other partition
  L2Contents l2(h200(), strides, {});
  const auto find = [&](bool write) {
    return l2.find({.instruction = 0, .line = 1000, .sectors = 1, .write = write, .bytes = 4},
                   {.others = others, .own = {}});
  };
  EXPECT_GT(find(false).across, 0);
  EXPECT_EQ(find(false).across, 0);
  find(true);
  EXPECT_GT(find(false).across, 0);
}

// 32 lanes at 16 words in a row: two sectors, each in two passes that take all of it.
TEST(Contention, LanesAtOneWordGoInPasses) {
  const TimedLaunch launch("atomics_32/tiny");
  const BlockTrace trace = launch.traces({0})[0];
  bool seen = false;
  for (const Request& r : trace.requests) {
    if (!r.atomic || r.lanes != 32) continue;
    seen = true;
    EXPECT_EQ(r.collisions, 2);
    EXPECT_EQ(r.passes.full, 4);
    EXPECT_EQ(r.passes.alone + r.passes.other, 0);
    EXPECT_EQ(r.passes.operation, AtomicPasses::Operation::kInteger);
  }
  EXPECT_TRUE(seen);
}

// A loop whose passes do most in its middle, and differently in each warp: what stands for it is
// taken from all over it.
TEST(Contention, UnequalPassesAreStoodForByAllParts) {
  const TimedLaunch launch(
      "kinds", "common_letters",
      {.grid = {4},
       .block = {256},
       .arguments = {"buf:1024:int:4", "buf:1024:int:4", "buf:16:undef", "i32:256"}});
  const BlockTrace trace = launch.traces({0})[0];
  const Sections sections = choose_sections(launch.kernel(), trace, trace.steps / 6);
  double stood_for = 0;
  for (const auto& warp : sections) {
    for (const Section& s : warp) stood_for += s.weight * (s.end - s.begin);
  }
  const auto steps = static_cast<double>(trace.steps);
  EXPECT_NEAR(stood_for, steps, 0.04 * steps);
}

}  // namespace
}  // namespace burin::timing
