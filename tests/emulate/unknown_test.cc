// Is what rests on data nobody gave called Unknown, all of it and nothing else?
#include "emulate/state/unknown.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "emulate/launched.h"

namespace burin::emulate {
namespace {

constexpr Word kUnknown = std::nullopt;

// Lanes whose number in argument 2 is 1 take theirs from argument 1, which is Unknown; the others
// take it from argument 0.
std::vector<std::string> mixed(std::vector<std::string> more) {
  std::vector<std::string> all{"buf:128:int:20", "buf:128", "buf:128:int:2"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
// No lane knows anything.
std::vector<std::string> nothing_known(std::vector<std::string> more) {
  std::vector<std::string> all{"buf:128", "buf:128", "buf:128:zero"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Launched launch(const std::string& name, std::vector<std::string> arguments,
                RunOptions options = {}) {
  return Launched(
      "unknown", name,
      {.block = {32}, .arguments = std::move(arguments), .options = std::move(options)});
}

TEST(Unknown, BothSidesOfABranchRun) {
  const Launched run = launch("sides", mixed({"buf:256:zero", "buf:128:zero", "buf:128:zero"}));
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t i = 0; i < 32; ++i) {
    std::uint32_t left = i + 1, right = i + 1;
    for (std::uint32_t k = 0; k < 3; ++k) left = left * 3 + k;
    for (std::uint32_t k = 0; k < 4; ++k) right = right * 5 - k;
    EXPECT_EQ(run.word(3, 32 + i), 5 * i) << "untouched by either side, lane " << i;
    if (run.given(2)[i] == 1) {
      EXPECT_EQ(run.word(3, i), kUnknown) << "lane " << i;
      EXPECT_EQ(run.word(4, i), kUnknown) << "lane " << i;
      EXPECT_EQ(run.word(5, i), kUnknown) << "lane " << i;
    } else {
      const bool goes_left = run.given(0)[i] > 10;
      EXPECT_EQ(run.word(3, i), goes_left ? left : right) << "lane " << i;
      EXPECT_EQ(run.word(4, i), goes_left ? left : 0) << "lane " << i;
      EXPECT_EQ(run.word(5, i), goes_left ? 0 : right) << "lane " << i;
    }
  }
}

TEST(Unknown, WhatRestsOnABranchIsCounted) {
  const Launched run =
      launch("sides", nothing_known({"buf:256:zero", "buf:128:zero", "buf:128:zero"}));
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.run().unknown.branches, 1u);
  EXPECT_EQ(run.run().unknown.guards, 1u) << "the branch itself";
  EXPECT_EQ(run.run().unknown.accesses, 0u);
  // All that lies between the branch and the place where the sides meet.
  std::uint64_t between = 0;
  bool inside = false;
  for (std::uint32_t i = 0; i < run.run().counts.size(); ++i) {
    const std::string_view mnemonic = run.kernel().instructions[i].mnemonic();
    if (mnemonic == "BSYNC") inside = false;
    if (inside) between += run.run().counts[i].warps;
    if (mnemonic == "BRA" && run.run().counts[i].warps != 0 && between == 0) inside = true;
  }
  EXPECT_EQ(run.run().unknown.instructions, between);
  EXPECT_EQ(run.count("BSYNC").warps, 1u);
  EXPECT_EQ(run.count("EXIT").lanes, 32u);
}

TEST(Unknown, EachSideStartsWithTheRegistersOfTheBranch) {
  const Launched run =
      launch("counts", {"buf:128", "buf:2K:zero", "buf:2K:zero", "buf:128:zero", "i32:2"});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.count_at(run.line("left[32 * k + i] = k"), "STG").warps, 4u);
  EXPECT_EQ(run.count_at(run.line("right[32 * k + i] = k"), "STG").warps, 6u);
  EXPECT_EQ(run.words(3, 0, 32), Words(32, kUnknown));
}

TEST(Unknown, KnownDataAreNotInDoubt) {
  const Launched run = launch("sides", {"buf:128:int:20", "buf:128:int:20", "buf:128:int:2",
                                        "buf:256:zero", "buf:128:zero", "buf:128:zero"});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.run().unknown.branches, 0u);
  EXPECT_EQ(run.run().unknown.instructions, 0u);
  EXPECT_EQ(run.run().unknown.guards, 0u);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_NE(run.word(3, i), kUnknown);
}

TEST(Unknown, ALoopRunsOnce) {
  const Launched run = launch("repeats", nothing_known({"buf:256:zero", "buf:1K:zero"}));
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.count_at(run.line("trace[32 * k + i] = sum"), "STG").warps, 1u);
  EXPECT_EQ(run.words(4, 0, 32), Words(32, kUnknown));
  EXPECT_EQ(run.words(4, 32, 32), Words(32, 0u)) << "a second pass";
  EXPECT_EQ(run.words(3, 0, 32), Words(32, kUnknown)) << "what the loop made";
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.word(3, 32 + i), i);
}

TEST(Unknown, ALoopRunsAsOftenAsIsSaid) {
  const std::uint32_t line =
      launch("repeats", nothing_known({"buf:256:zero", "buf:1K:zero"})).line("k != end; ++k");
  for (const std::uint64_t passes : {2, 5}) {
    for (const char* file : {"", "unknown.cu:", "emulate/unknown.cu:"}) {
      RunOptions options;
      options.trips = {*launch::parse_trip(fmt::format("{}{}={}", file, line, passes))};
      const Launched run =
          launch("repeats", nothing_known({"buf:256:zero", "buf:1K:zero"}), options);
      ASSERT_EQ(run.error(), "");
      const std::uint64_t expected = std::string_view(file).starts_with("emulate") ? 1 : passes;
      EXPECT_EQ(run.count_at(run.line("trace[32 * k + i] = sum"), "STG").warps, expected);
      EXPECT_EQ(run.word(4, 32 * (expected - 1) + 7), kUnknown);
      EXPECT_EQ(run.word(4, 32 * expected + 7), 0u);
      EXPECT_EQ(run.word(3, 7), kUnknown);
    }
  }
}

TEST(Unknown, WhatALoopMadeIsUnknownBehindIt) {
  const Launched run = launch("passes", {"buf:128", "buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.words(1, 0, 32), Words(32, kUnknown));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.word(1, 32 + i), 2 * i);
  EXPECT_EQ(run.run().unknown.branches, 1u);
  EXPECT_EQ(run.run().unknown.instructions, 0u) << "there is no other side";
}

TEST(Unknown, LanesThatKnowGoAroundAsOftenAsTheyKnow) {
  const Launched run = launch("repeats", mixed({"buf:256:zero", "buf:4K:zero"}));
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t i = 0; i < 32; ++i) {
    if (run.given(2)[i] == 1) {
      EXPECT_EQ(run.word(3, i), kUnknown) << "lane " << i;
      continue;
    }
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < run.given(0)[i]; ++k) {
      sum += k * k + i;
      EXPECT_EQ(run.word(4, 32 * k + i), sum) << "lane " << i << ", pass " << k;
    }
    EXPECT_EQ(run.word(3, i), sum) << "lane " << i;
  }
}

TEST(Unknown, AThreadThatMayEndGoesOn) {
  std::vector<std::string> arguments = mixed({"buf:128:zero"});
  arguments[0] = "buf:128:int:2";
  const Launched run = launch("ends", arguments);
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t i = 0; i < 32; ++i) {
    const bool ends = run.given(2)[i] == 0 && run.given(0)[i] == 0;
    EXPECT_EQ(run.word(3, i), ends ? 0u : 5u) << "lane " << i;
  }
  EXPECT_EQ(run.run().unknown.branches, 1u);
}

TEST(Unknown, ASideMayEndSomeOfItsThreads) {
  const Launched run = launch("ends_inside", mixed({"buf:256:zero", "buf:256:zero"}));
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t i = 0; i < 32; ++i) {
    const bool odd = i % 2 == 1;
    if (run.given(2)[i] == 1) {
      EXPECT_EQ(run.word(3, i), kUnknown) << "lane " << i;
      EXPECT_EQ(run.word(4, i), kUnknown) << "lane " << i;
      EXPECT_EQ(run.word(4, 32 + i), odd ? kUnknown : 0u) << "lane " << i;
      // The sides end apart, so nothing is certain any more.
      EXPECT_EQ(run.word(3, 32 + i), kUnknown) << "lane " << i;
      continue;
    }
    const bool left = run.given(0)[i] > 10;
    EXPECT_EQ(run.word(3, i), left ? 0u : 6u) << "lane " << i;
    EXPECT_EQ(run.word(4, i), !left ? 0u : odd ? 3u : 103u) << "lane " << i;
    EXPECT_EQ(run.word(4, 32 + i), left && odd ? 9u : 0u) << "lane " << i;
    EXPECT_EQ(run.word(3, 32 + i), left && odd ? 0u : i + 6) << "lane " << i;
  }
}

TEST(Unknown, AccessesAtUnknownAddressesAreCountedAndHarmNothing) {
  const Launched run =
      launch("scatters", {"buf:128", "buf:384:zero", "buf:128:zero", "buf:128:zero"});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.run().unknown.accesses, 3u * 32) << "a store, an atomic and a load of 32 lanes";
  EXPECT_EQ(run.words(1, 0, 32), Words(32, 0u));
  EXPECT_EQ(run.words(2, 0, 32), Words(32, 0u));
  EXPECT_EQ(run.words(1, 32, 32), Words(32, kUnknown));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.word(1, 64 + i), i + 2);
  EXPECT_TRUE(run.run().faults.empty());
}

TEST(Unknown, QuestionsInsideOneAnotherStayInDoubt) {
  const Launched run = launch("deep", {"buf:1K", "buf:384:zero"});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.words(1, 0, 8), Words(8, kUnknown));
  EXPECT_EQ(run.words(1, 32, 32), Words(32, kUnknown));
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.word(1, 64 + i), i);
  EXPECT_EQ(run.run().unknown.branches, 7u);
  EXPECT_GE(run.run().unknown.guards, 7u + 2) << "the last question is asked by guards";
}

TEST(Unknown, ABarriersReductionOfItIsUnknownOnce) {
  const Launched run("unknown", "counted",
                     {.block = {64}, .arguments = {"buf:256", "buf:512:zero"}});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.words(1, 0, 64), Words(64, kUnknown));
  EXPECT_EQ(run.words(1, 64, 64), Words(64, 61u)) << "the next one is known";
}

TEST(Unknown, DataFlowFromABufferWithoutContents) {
  const Launched run(
      "grid", "scale",
      {.grid = {2}, .block = {32}, .arguments = {"buf:256", "buf:256:zero", "i32:50", "f32:2"}});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.words(1, 0, 50), Words(50, kUnknown));
  EXPECT_EQ(run.words(1, 50, 14), Words(14, 0u));
  EXPECT_EQ(run.run().unknown.branches, 0u);
}

}  // namespace
}  // namespace burin::emulate
