// Are distances those of the longest way, and cycles those of the shortest?
#include <gtest/gtest.h>

#include "advise/blame/paths.h"
#include "read/program/program_builder.h"

namespace burin::advise {
namespace {

using test::WrittenProgram;

PathLength between(const read::Kernel& kernel, std::uint32_t cause, std::uint32_t waits) {
  BlamePaths paths(kernel);
  paths.towards(waits);
  return paths.from(cause);
}

TEST(BlamePaths, StraightCodeCounts) {
  WrittenProgram p;
  p.op("MOV").stall(4);
  p.op("MOV").stall(0);  // takes a cycle all the same
  p.op("MOV").stall(2);
  const read::Kernel k = p.build();
  EXPECT_EQ(between(k, 0, 2).longest, 2u);
  EXPECT_EQ(between(k, 0, 2).least_cycles, 5);
  EXPECT_EQ(between(k, 1, 2).longest, 1u);
}

TEST(BlamePaths, OfTwoWaysTheLongerAndTheQuicker) {
  WrittenProgram p;
  p.op("BRA").when(0).to(3).stall(5);
  p.op("NOP").stall(1);
  p.op("BRA").to(4).stall(5);
  p.op("NOP").stall(15);
  p.op("MOV");
  const read::Kernel k = p.build();
  EXPECT_EQ(between(k, 0, 4).longest, 3u);
  EXPECT_EQ(between(k, 0, 4).average, 2.5);
  EXPECT_EQ(between(k, 0, 4).least_cycles, 11);
}

TEST(BlamePaths, RoundALoopOnlyWhereItMust) {
  WrittenProgram p;
  p.op("NOP");                         // 0
  p.op("MOV").stall(2);                // 1: the loop
  p.op("BRA").when(0).to(4);           // 2
  p.op("NOP");                         // 3
  p.op("MOV").stall(3);                // 4
  p.op("BRA").when(1).to(1).stall(5);  // 5
  p.op("EXIT");
  const read::Kernel k = p.build();
  EXPECT_EQ(between(k, 1, 4).longest, 3u);
  EXPECT_EQ(between(k, 4, 1).longest, 2u);
  EXPECT_EQ(between(k, 4, 1).least_cycles, 8);
  EXPECT_EQ(between(k, 1, 1).longest, 5u);
  EXPECT_EQ(between(k, 0, 6).longest, 6u);
  EXPECT_TRUE(between(k, 4, 1).known);
  EXPECT_FALSE(between(k, 6, 0).known);
}

TEST(BlamePaths, OneObjectServesManyPlaces) {
  WrittenProgram p;
  for (int k = 0; k < 6; ++k) {
    p.op("NOP").stall(k);
    p.op("BRA").when(0).to(2 * (k + 1));
  }
  p.op("EXIT");
  const read::Kernel k = p.build();
  BlamePaths paths(k);
  for (const std::uint32_t waits : {12u, 3u, 8u, 12u, 1u}) {
    paths.towards(waits);
    for (std::uint32_t cause = 0; cause < waits; ++cause) {
      EXPECT_EQ(paths.from(cause).longest, waits - cause) << cause << " to " << waits;
    }
  }
}

}  // namespace
}  // namespace burin::advise
