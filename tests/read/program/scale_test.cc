// Does the work grow with the code, and not with its square? Each program has about 100,000
// instructions of a shape that tempts; the bound is far above what linear work needs, even in a
// build with sanitizers, and far below what quadratic work takes.
#include <gtest/gtest.h>

#include <chrono>

#include "program_builder.h"

namespace burin {
namespace {

using test::P;
using test::Program;
using test::R;

constexpr int kSize = 100000;

double seconds_to_build(const Program& p) {
  const auto start = std::chrono::steady_clock::now();
  const Kernel kernel = p.build();
  EXPECT_EQ(kernel.instructions.size(), p.instructions.size());
  EXPECT_FALSE(kernel.dependences.empty());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ::testing::Test::RecordProperty("seconds", std::to_string(seconds));
  return seconds;
}

constexpr double kBound = 15;

TEST(Scale, ManyBlocksUnderManyLiveRegisters) {
  Program p;
  for (int r = 0; r < 200; ++r) p.op("MOV").writes(R(r));
  while (p.here() + 200 < kSize) {
    const auto at = static_cast<int>(p.here());
    p.op("MOV").writes(R(at % 200)).reads(R(at * 7 % 200)).reads(R(at * 13 % 200));
    p.op("MOV").writes(P(0)).reads(R(at * 5 % 200));
    p.op("BRA").when(0).to(at + 5);
    p.op("MOV").when(1).writes(R(at * 3 % 200)).reads(R(at * 11 % 200));
    p.op("MOV").reads(R(at * 17 % 200)).writes(R(at * 19 % 200));
    if (at % 50 == 0) p.op("BRA").when(1).to(at);
  }
  for (int r = 0; r < 200; ++r) p.op("MOV").reads(R(r));
  EXPECT_LT(seconds_to_build(p), kBound);
}

TEST(Scale, ConditionalUpdatesOfOneRegister) {
  Program p;
  for (int i = 0; i < kSize / 3; ++i) {
    p.op("MOV").writes(P(0)).reads(R(0));
    p.op("MOV").when(0).writes(R(0));
    p.op("MOV").unless(0).reads(R(0));
  }
  EXPECT_LT(seconds_to_build(p), kBound);
}

TEST(Scale, ConditionalUpdatesInBlocksOfTheirOwn) {
  Program p;
  for (int i = 0; i < kSize / 3; ++i) {
    p.op("BRA").when(i % 7).to(p.here() + 2);
    p.op("MOV").writes(R(0));
    p.op("MOV").when(i % 5).reads(R(0));
  }
  EXPECT_LT(seconds_to_build(p), kBound);
}

TEST(Scale, LadderOfEarlyExits) {
  Program p;
  constexpr int kRungs = kSize / 2;
  for (int i = 0; i < kRungs; ++i) p.op("BRA").when(0).to(kRungs + i);
  for (int i = 0; i < kRungs; ++i) p.op("MOV").writes(R(i % 8)).reads(R((i + 3) % 8));
  EXPECT_LT(seconds_to_build(p), kBound);
}

TEST(Scale, DeepLoopNest) {
  Program p;
  constexpr int kDepth = kSize / 2;
  for (int i = 0; i < kDepth; ++i) p.op("MOV").writes(R(i % 8)).reads(R((i + 3) % 8));
  for (int i = kDepth; i-- > 0;) p.op("BRA").when(0).to(i);
  EXPECT_LT(seconds_to_build(p), kBound);
}

TEST(Scale, ManyCallsOfManyFunctions) {
  Program p;
  constexpr int kCalls = kSize / 6;
  for (int i = 0; i < kCalls; ++i) {
    p.op("CALL").to(3 * kCalls + 3 * ((i * 7) % kCalls));
    p.op("MOV").writes(R(i % 8)).reads(R((i + 3) % 8));
    p.op("MOV").writes(R(i % 9));
  }
  for (int i = 0; i < kCalls; ++i) {
    p.op("MOV").writes(R(i % 8)).reads(R((i + 3) % 8));
    p.op("RET").when(i % 2);
    p.op("MOV").when(3).writes(R(i % 5));
  }
  EXPECT_LT(seconds_to_build(p), kBound);
}

TEST(Scale, ScoreboardsThatNobodyClears) {
  Program p;
  for (int i = 0; i < kSize / 3; ++i) {
    p.op("LDG").sets(i % 3);
    p.op("DEPBAR").until(i % 3, 5);
    p.op("BRA").when(0).to(i % 2 == 0 ? p.here() + 1 : p.here() - 2);
  }
  EXPECT_LT(seconds_to_build(p), kBound);
}

}  // namespace
}  // namespace burin
