// Does code that nobody needs any more go with what was removed, and no other?
#include "advise/patterns/code/needless.h"

#include <gtest/gtest.h>

#include "read/program/program_builder.h"

namespace burin::advise {
namespace {

using test::P;
using test::R;
using test::WrittenProgram;

read::InstructionSet without(const WrittenProgram& program, std::uint32_t removed,
                             const NeedsValue& wants = {}) {
  const read::Kernel kernel = program.build();
  read::InstructionSet gone(kernel.instructions.size());
  gone[removed] = 1;
  add_dead_code(kernel, gone, wants);
  return gone;
}

TEST(Needless, ATestGoesWithItsBranchAndSoDoWhatItLoadsAndWhereLanesMeet) {
  WrittenProgram p;
  p.op("LDG").writes(R(0));              // 0: loaded for the test alone
  p.op("LDG").writes(R(1));              // 1: stored
  p.op("MOV").reads(R(0)).writes(P(0));  // 2: the test
  p.op("BSSY").to(6);                    // 3
  p.op("BRA").when(0).to(5);             // 4
  p.op("BSYNC");                         // 5
  p.op("STG").reads(R(1));               // 6
  p.op("EXIT");                          // 7
  EXPECT_EQ(without(p, 4), (read::InstructionSet{1, 0, 1, 1, 1, 1, 0, 0}));
}

TEST(Needless, WhatOthersUseStays) {
  WrittenProgram p;
  p.op("LDG").writes(R(0));              // 0: for the test, and stored
  p.op("MOV").reads(R(0)).writes(P(0));  // 1
  p.op("BRA").when(0).to(3);             // 2
  p.op("STG").reads(R(0));               // 3
  p.op("EXIT");                          // 4
  EXPECT_EQ(without(p, 2), (read::InstructionSet{0, 1, 1, 0, 0}));
}

TEST(Needless, MeetingsOfLanesThatOthersPartStay) {
  WrittenProgram p;
  p.op("BSSY").to(4);         // 0
  p.op("BRA").when(0).to(3);  // 1
  p.op("BRA").when(1).to(3);  // 2
  p.op("BSYNC");              // 3
  p.op("EXIT");               // 4
  EXPECT_EQ(without(p, 1), (read::InstructionSet{0, 1, 0, 0, 0}));
}

TEST(Needless, ACounterThatOnlyCountsItselfGoes) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));              // 0
  p.op("MOV").reads(R(0)).writes(R(0));  // 1: counts
  p.op("LDL").reads(R(0)).writes(R(1));  // 2: an array at that index
  p.op("BRA").when(0).to(1);             // 3: by another condition
  p.op("STG").reads(R(1));               // 4
  p.op("EXIT");                          // 5
  EXPECT_EQ(without(p, 2), (read::InstructionSet{1, 1, 1, 0, 0, 0}));
  // … but not where the array's place wants its index still.
  const auto all = [](const read::Dependence&) { return true; };
  EXPECT_EQ(without(p, 2, all), (read::InstructionSet{0, 0, 1, 0, 0, 0}));
}

}  // namespace
}  // namespace burin::advise
