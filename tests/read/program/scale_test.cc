// Does the work grow with the code, and not with its square? Shapes of code that tempt, at 25,000
// and at 100,000 instructions: four times the code may take up to ten times as long (caches have
// their say), where quadratic work takes sixteen. Processor time, so that a busy machine does not
// matter.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>

#include "program_builder.h"

namespace burin::read {
namespace {

using test::P;
using test::R;
using test::WrittenProgram;

double seconds_to_build(const WrittenProgram& p) {
  std::vector<Instruction> instructions = p.instructions;
  const std::clock_t start = std::clock();
  const Kernel kernel = build_from(std::move(instructions), p.image, p.function);
  const std::clock_t end = std::clock();
  EXPECT_FALSE(kernel.dependences.empty());
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

void expect_scales(const std::function<void(WrittenProgram&, int size)>& write) {
  WrittenProgram small, large;
  write(small, 25000);
  write(large, 100000);
  const double large_seconds = seconds_to_build(large);
  if (large_seconds < 0.5) return;  // nothing to complain about, and too short to compare
  EXPECT_LT(large_seconds, 10 * seconds_to_build(small));
}

TEST(Scale, ManyBlocksUnderManyLiveRegisters) {
  expect_scales([](WrittenProgram& p, int size) {
    for (int r = 0; r < 200; ++r) p.op("MOV").writes(R(r));
    while (p.here() + 200 < static_cast<unsigned>(size)) {
      const auto at = static_cast<int>(p.here());
      p.op("MOV").writes(R(at % 200)).reads(R(at * 7 % 200)).reads(R(at * 13 % 200));
      p.op("MOV").writes(P(0)).reads(R(at * 5 % 200));
      p.op("BRA").when(0).to(at + 5);
      p.op("MOV").when(1).writes(R(at * 3 % 200)).reads(R(at * 11 % 200));
      p.op("MOV").reads(R(at * 17 % 200)).writes(R(at * 19 % 200));
      if (at % 50 == 0) p.op("BRA").when(1).to(at);
    }
    for (int r = 0; r < 200; ++r) p.op("MOV").reads(R(r));
  });
}

TEST(Scale, ConditionalUpdatesOfOneRegister) {
  expect_scales([](WrittenProgram& p, int size) {
    for (int i = 0; i < size / 3; ++i) {
      p.op("MOV").writes(P(0)).reads(R(0));
      p.op("MOV").when(0).writes(R(0));
      p.op("MOV").unless(0).reads(R(0));
    }
  });
}

TEST(Scale, ConditionalUpdatesInBlocksOfTheirOwn) {
  expect_scales([](WrittenProgram& p, int size) {
    for (int i = 0; i < size / 3; ++i) {
      p.op("BRA").when(i % 7).to(p.here() + 2);
      p.op("MOV").writes(R(0));
      p.op("MOV").when(i % 5).reads(R(0));
    }
  });
}

TEST(Scale, LadderOfEarlyExits) {
  expect_scales([](WrittenProgram& p, int size) {
    const int rungs = size / 2;
    for (int i = 0; i < rungs; ++i) p.op("BRA").when(0).to(rungs + i);
    for (int i = 0; i < rungs; ++i) p.op("MOV").writes(R(i % 8)).reads(R((i + 3) % 8));
  });
}

TEST(Scale, DeepLoopNest) {
  expect_scales([](WrittenProgram& p, int size) {
    const int depth = size / 2;
    for (int i = 0; i < depth; ++i) p.op("MOV").writes(R(i % 8)).reads(R((i + 3) % 8));
    for (int i = depth; i-- > 0;) p.op("BRA").when(0).to(i);
  });
}

TEST(Scale, ManyCallsOfManyFunctions) {
  expect_scales([](WrittenProgram& p, int size) {
    const int calls = size / 6;
    for (int i = 0; i < calls; ++i) {
      p.op("CALL").to(3 * calls + 3 * ((i * 7) % calls));
      p.op("MOV").writes(R(i % 8)).reads(R((i + 3) % 8));
      p.op("MOV").writes(R(i % 9));
    }
    for (int i = 0; i < calls; ++i) {
      p.op("MOV").writes(R(i % 8)).reads(R((i + 3) % 8));
      p.op("RET").when(i % 2);
      p.op("MOV").when(3).writes(R(i % 5));
    }
  });
}

TEST(Scale, ScoreboardsThatNobodyClears) {
  expect_scales([](WrittenProgram& p, int size) {
    for (int i = 0; i < size / 3; ++i) {
      p.op("LDG").sets(i % 3);
      p.op("DEPBAR").until(i % 3, 5);
      p.op("BRA").when(0).to(i % 2 == 0 ? p.here() + 1 : p.here() - 2);
    }
  });
}

}  // namespace
}  // namespace burin::read
