// Does a branch on an Unknown value avoid the side that kernels rarely take?
#include "emulate/state/unlikely.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "emulate/launched.h"

namespace burin::emulate {
namespace {

Launched launch(const std::string& name, const std::string& index, unsigned sm) {
  return Launched(
      "unlikely", name,
      {.block = {32}, .arguments = {"buf:128:int:9", index, "buf:128:undef", "i32:9"}, .sm = sm});
}

class UnlikelyTest : public testing::TestWithParam<unsigned> {};

TEST_P(UnlikelyTest, ChecksOfUnknownValuesDoNotFail) {
  for (const char* name : {"gather_checked", "trap_checked"}) {
    const Launched run = launch(name, "buf:128", GetParam());
    ASSERT_EQ(run.error(), "") << name;
    for (std::uint32_t i = 0; i < 32; ++i) {
      EXPECT_EQ(run.word(2, i), run.given(0)[i] + 1) << name << ": only one side ran";
    }
  }
}

TEST_P(UnlikelyTest, ChecksOfKnownValuesFail) {
  for (const char* name : {"gather_checked", "trap_checked", "checked_late"}) {
    EXPECT_EQ(launch(name, "buf:128:zero", GetParam()).error(), "") << name;
    EXPECT_NE(launch(name, "buf:128:int:1000000", GetParam()).error(), "") << name;
  }
}

TEST_P(UnlikelyTest, WorkBeforeTheCheckDoesNotHideIt) {
  const Launched run = launch("checked_late", "buf:128", GetParam());
  EXPECT_EQ(run.error(), "");
}

TEST_P(UnlikelyTest, BlocksThatOnlyFailAreFound) {
  for (const char* name : {"gather_checked", "trap_checked"}) {
    const Launched run = launch(name, "buf:128:zero", GetParam());
    const std::vector<bool> unlikely = unlikely_blocks(run.kernel());
    EXPECT_EQ(std::ranges::count(unlikely, true), 1) << name;
    EXPECT_FALSE(unlikely[0]) << name;
  }
}

TEST_P(UnlikelyTest, SlowPathsOfDivisionsAreNotTaken) {
  for (const char* name : {"divide", "root"}) {
    const Launched run(
        "unlikely", name,
        {.block = {32}, .arguments = {"buf:128", "buf:128:undef"}, .sm = GetParam()});
    ASSERT_EQ(run.error(), "");
    EXPECT_EQ(run.count("CALL").warps, 0u) << name;
    EXPECT_EQ(run.run().unknown.branches, 1u) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, UnlikelyTest, testing::Values(80u, 90u));

}  // namespace
}  // namespace burin::emulate
