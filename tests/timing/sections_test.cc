// Do the parts of a trace that are replayed stand for all of it?
#include "timing/trace/sections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "timed_launch.h"

namespace burin::timing {
namespace {

double steps_stood_for(const std::vector<Section>& sections) {
  double sum = 0;
  for (const Section& s : sections) sum += s.weight * (s.end - s.begin);
  return sum;
}

std::uint64_t kept(const Sections& sections) {
  std::uint64_t sum = 0;
  for (const auto& warp : sections)
    for (const Section& s : warp) sum += s.end - s.begin;
  return sum;
}

// In order, without overlap, from the first step to the last.
void expect_in_order(const Sections& sections, const BlockTrace& trace) {
  ASSERT_EQ(sections.size(), trace.warps.size());
  for (std::size_t w = 0; w < sections.size(); ++w) {
    if (trace.warps[w].empty()) continue;
    ASSERT_FALSE(sections[w].empty());
    EXPECT_EQ(sections[w].front().begin, 0u);
    EXPECT_EQ(sections[w].back().end, trace.warps[w].size());
    std::uint32_t end = 0;
    for (const Section& s : sections[w]) {
      EXPECT_GE(s.begin, end);
      EXPECT_GT(s.end, s.begin);
      EXPECT_GE(s.weight, 1);
      end = s.end;
    }
  }
}

// A product of 16×16 tiles, `depth` deep: a loop of depth / 16 equal passes with two barriers each.
TimedLaunch::Shape product(unsigned depth) {
  const std::string row = std::to_string(depth * 16 * 4);
  return {.grid = {1},
          .block = {16, 16},
          .cluster = {},
          .arguments = {"buf:" + row + ":f32", "buf:" + row + ":f32", "buf:1024:undef", "i32:16",
                        "i32:16", "i32:" + std::to_string(depth)}};
}

TEST(Sections, AShortTraceIsReplayedWhole) {
  const TimedLaunch launch("dense", "product_f32", product(64));
  const BlockTrace trace = launch.traces({0})[0];
  for (const std::uint64_t target : {trace.steps, 2 * trace.steps, ~std::uint64_t{0}}) {
    const Sections sections = choose_sections(launch.kernel(), trace, target);
    expect_in_order(sections, trace);
    EXPECT_EQ(kept(sections), trace.steps);
    for (std::size_t w = 0; w < sections.size(); ++w) {
      EXPECT_EQ(steps_stood_for(sections[w]), static_cast<double>(trace.warps[w].size()));
    }
  }
}

TEST(Sections, WeightsConserveTheStepsOfALoopOfEqualPasses) {
  const TimedLaunch launch("dense", "product_f32", product(16 * 200));
  const BlockTrace trace = launch.traces({0})[0];
  for (const std::uint64_t target : {std::uint64_t{1}, trace.steps / 8, trace.steps / 3}) {
    const Sections sections = choose_sections(launch.kernel(), trace, target);
    expect_in_order(sections, trace);
    EXPECT_LT(kept(sections), trace.steps / 2) << target;
    for (std::size_t w = 0; w < sections.size(); ++w) {
      const auto steps = static_cast<double>(trace.warps[w].size());
      EXPECT_NEAR(steps_stood_for(sections[w]), steps, 0.01 * steps) << target;
    }
  }
}

// Where passes differ they are conserved about: a warp's loop of 0 to 200 rounds at each element.
TEST(Sections, WeightsAreAboutRightWherePassesDiffer) {
  for (const char* line : {"sum_shared/odd", "spmv_vector/large", "thomas/odd", "gather/large"}) {
    const TimedLaunch launch(line);
    const BlockTrace trace = launch.traces({1})[0];
    const Sections sections = choose_sections(launch.kernel(), trace, trace.steps / 20);
    expect_in_order(sections, trace);
    double sum = 0;
    for (const auto& warp : sections) sum += steps_stood_for(warp);
    const auto steps = static_cast<double>(trace.steps);
    EXPECT_NEAR(sum, steps, 0.15 * steps) << line;
  }
}

// A loop of 200 passes that holds two inner loops of 32 passes each, one after the other, as the
// steps of one warp. Instructions are named by the block that they are in.
struct TwoInnerLoops {
  read::Kernel kernel{};
  BlockTrace trace{};

  TwoInnerLoops() {
    block(2, read::kNoIndex, read::kNoIndex);  // 0: entry
    block(3, 0, 0);                            // 1: header of the outer loop
    block(15, 1, 1);                           // 2: the first inner loop
    block(3, 0, 2);                            // 3: between
    block(7, 2, 3);                            // 4: the second inner loop
    block(4, 0, 4);                            // 5: latch of the outer loop
    block(1, read::kNoIndex, 5);               // 6: exit
    kernel.loops = {
        {.header = 1, .blocks = {1, 2, 3, 4, 5}, .latches = {5}, .exits = {6}},
        {.header = 2, .blocks = {2}, .latches = {2}, .exits = {3}, .parent = 0, .depth = 2},
        {.header = 4, .blocks = {4}, .latches = {4}, .exits = {5}, .parent = 0, .depth = 2}};
    trace.warps.resize(1);
    execute(0);
    for (unsigned pass = 0; pass < 200; ++pass) {
      execute(1);
      for (unsigned k = 0; k < 32; ++k) execute(2);
      execute(3);
      for (unsigned k = 0; k < 32; ++k) execute(4);
      execute(5);
    }
    execute(6);
    trace.steps = trace.warps[0].size();
  }

 private:
  void block(std::uint32_t size, std::uint32_t loop, std::uint32_t dominator) {
    const auto first = static_cast<std::uint32_t>(kernel.block_of.size());
    read::BasicBlock made;
    made.first = first;
    made.last = first + size - 1;
    made.loop = loop;
    made.immediate_dominator = dominator;
    kernel.block_of.insert(kernel.block_of.end(), size,
                           static_cast<std::uint32_t>(kernel.blocks.size()));
    kernel.blocks.push_back(made);
  }
  void execute(std::uint32_t block) {
    for (std::uint32_t i = kernel.blocks[block].first; i <= kernel.blocks[block].last; ++i) {
      trace.warps[0].push_back(
          {.instruction = i & 0x7fffffff, .unknown = 0, .request = kNoRequest});
    }
  }
};

// Inner loops that follow each other are both represented: the second is not left out with the gaps
// of the first.
TEST(Sections, InnerLoopsInTurnAreBothRepresented) {
  const TwoInnerLoops made;
  const Sections sections = choose_sections(made.kernel, made.trace, made.trace.steps / 10);
  expect_in_order(sections, made.trace);
  EXPECT_LT(kept(sections), made.trace.steps / 2);
  std::vector<double> represented(made.kernel.blocks.size());
  for (const Section& s : sections[0]) {
    for (std::uint32_t k = s.begin; k < s.end; ++k) {
      represented[made.kernel.block_of[made.trace.warps[0][k].instruction]] += s.weight;
    }
  }
  for (const auto& [block, size] : {std::pair(2, 15), std::pair(4, 7)}) {
    const double steps = 200.0 * 32 * size;
    EXPECT_NEAR(represented[static_cast<std::size_t>(block)], steps, 0.05 * steps) << block;
  }
}

TEST(Sections, ALongerTraceIsNotReplayedLonger) {
  const TimedLaunch shorter("dense", "product_f32", product(16 * 200));
  const TimedLaunch longer("dense", "product_f32", product(16 * 1600));
  const std::uint64_t few = kept(choose_sections(shorter.kernel(), shorter.traces({0})[0], 20'000));
  const std::uint64_t many = kept(choose_sections(longer.kernel(), longer.traces({0})[0], 20'000));
  EXPECT_LE(many, 2 * few);
}

// The warps of a block leave out the same phases of its barriers: none waits for a pass that
// another has skipped at another time.
TEST(Sections, WarpsKeepTheSamePhases) {
  const TimedLaunch launch("dense", "product_f32", product(16 * 300));
  const BlockTrace trace = launch.traces({0})[0];
  const Sections sections = choose_sections(launch.kernel(), trace, trace.steps / 10);
  std::set<std::set<std::uint32_t>> phases;  // one set per warp; all equal
  for (std::size_t w = 0; w < sections.size(); ++w) {
    std::set<std::uint32_t> of;
    for (const Section& s : sections[w]) {
      for (std::uint32_t k = s.begin; k < s.end; ++k) {
        const std::uint32_t request = trace.warps[w][k].request;
        if (request == kNoRequest) continue;
        for (const PhaseUse& use : trace.phases_of(trace.requests[request]))
          if (use.waits) of.insert(use.phase);
      }
    }
    EXPECT_FALSE(of.empty());
    phases.insert(of);
  }
  EXPECT_EQ(phases.size(), 1u);
}

// A replay that jumps over steps finds the arrivals among them without a search.
TEST(Sections, OmittedArrivalsAreNoted) {
  const TimedLaunch launch("dense", "product_f32", product(16 * 300));
  const BlockTrace trace = launch.traces({0})[0];
  const Sections sections = choose_sections(launch.kernel(), trace, trace.steps / 10);
  for (std::size_t w = 0; w < sections.size(); ++w) {
    std::vector<std::uint32_t> noted;
    std::vector<std::uint32_t> omitted;
    std::uint32_t end = 0;
    for (const Section& s : sections[w]) {
      noted.insert(noted.end(), s.arrivals.begin(), s.arrivals.end());
      for (std::uint32_t k = end; k < s.begin; ++k) {
        const std::uint32_t request = trace.warps[w][k].request;
        if (request == kNoRequest) continue;
        const auto uses = trace.phases_of(trace.requests[request]);
        if (std::ranges::any_of(uses, &PhaseUse::arrives)) omitted.push_back(k);
      }
      end = s.end;
    }
    EXPECT_GT(noted.size(), 100u);
    EXPECT_EQ(noted, omitted);
  }
}

// … and so nobody is left waiting, whatever is left out.
TEST(Sections, ACutReplayComesToItsEndAndTakesAboutAsLong) {
  const TimedLaunch launch("dense", "product_f32", product(16 * 300));
  const TimedLaunch::Replay whole = launch.replay({0}, {.resident = 1});
  const TimedLaunch::Replay cut = launch.replay({0}, {.target = 5000, .resident = 1});
  EXPECT_LT(cut.run.replayed, whole.run.replayed / 3);
  EXPECT_EQ(cut.run.released, 0u);
  EXPECT_NEAR(cut.run.weighted, whole.run.end, 0.15 * whole.run.end);
  EXPECT_NEAR(cut.account->issued(), whole.account->issued(), 0.01 * whole.account->issued());
}

}  // namespace
}  // namespace burin::timing
