// Which GPUs run which code?
#include "read/compatibility.h"

#include <gtest/gtest.h>

namespace burin::read {
namespace {

bool runs(const char* code, const char* gpu) {
  return runs_on(*parse_architecture(code), *parse_architecture(gpu));
}

TEST(Compatibility, CodeRunsOnItsGenerationFromItsOwnArchitectureOn) {
  EXPECT_TRUE(runs("sm_90", "sm_90"));
  EXPECT_TRUE(runs("sm_80", "sm_86"));
  EXPECT_TRUE(runs("sm_80", "sm_89"));
  EXPECT_FALSE(runs("sm_86", "sm_80"));
  EXPECT_FALSE(runs("sm_80", "sm_90"));
  EXPECT_FALSE(runs("sm_90", "sm_80"));
  EXPECT_FALSE(runs("sm_90", "sm_100"));
  EXPECT_FALSE(runs("sm_100", "sm_120"));
}

TEST(Compatibility, CodeForOneChipRunsOnItAlone) {
  EXPECT_TRUE(runs("sm_90a", "sm_90"));
  EXPECT_FALSE(runs("sm_100a", "sm_103"));
}

}  // namespace
}  // namespace burin::read
