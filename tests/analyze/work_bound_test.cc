// Is the bound of the work that of the bytes and operations that cannot be avoided?
#include "analyze/bounds/work_bound.h"

#include <gtest/gtest.h>

#include "analyze/bounds/bounds.h"
#include "studied.h"

namespace burin::analyze {
namespace {

// 200,000 floats read and as many written, 33 blocks beyond what fills the last one.
TEST(WorkBound, EveryElementMovesOnce) {
  const Studied copy("copy/large");
  const WorkBound work = work_bound(copy.study());
  EXPECT_NEAR(work.read_bytes, 800000, 64);
  EXPECT_LE(work.write_bytes, 800000 + 64);  // the L2 cache may keep them
  EXPECT_EQ(work.operations, 0);
  EXPECT_LE(work.time_us, copy.study().base().time_us);
}

TEST(WorkBound, OperationsOfTheLanesThatExecuteThem) {
  const Studied saxpy("saxpy/large");  // 262,144 elements, one FFMA each
  const WorkBound work = work_bound(saxpy.study());
  EXPECT_NEAR(work.operations, 2.0 * 262144, 2.0 * 262144 * 0.01);
}

// A value that many threads load counts once.
TEST(WorkBound, WhatIsReusedCountsOnce) {
  const Studied transposed("transpose_naive/large");
  const WorkBound work = work_bound(transposed.study());
  EXPECT_NEAR(work.read_bytes, 1441792, 1441792 * 0.01);
}

TEST(WorkBound, IsNeverAboveTheBoundsOfTheCode) {
  for (const char* launch :
       {"copy/large", "saxpy/odd", "transpose_shared/large", "gather/large", "polynomial/large"}) {
    const Studied studied(launch);
    const WorkBound work = work_bound(studied.study());
    EXPECT_LE(work.time_us, studied.study().base().time_us) << launch;
    for (const Bound& bound : bounds(studied.study())) {
      if (bound.name == "dram") {
        EXPECT_LE(work.dram_us, bound.time_us * 1.001) << launch;
      }
      if (bound.name == "fma") {
        EXPECT_LE(work.arithmetic_us, bound.time_us * 1.001) << launch;
      }
    }
  }
}

}  // namespace
}  // namespace burin::analyze
