// Who needs what from whom? Cases by hand; random_dependences_test.cc has the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "program_builder.h"

namespace burin::read {
namespace {

using test::kTrue;
using test::P;
using test::R;
using test::UR;
using test::WrittenProgram;
using testing::ElementsAre;
using testing::IsEmpty;

// The producers of `consumer` through one register.
std::vector<std::uint32_t> through(const Kernel& k, std::uint32_t consumer, test::Register r) {
  std::vector<std::uint32_t> producers;
  for (const Dependence& d : k.dependences_of(consumer)) {
    if (d.kind == Dependence::Kind::kRegister && test::Register{d.file, d.index} == r)
      producers.push_back(d.producer);
  }
  return producers;
}

std::vector<std::uint32_t> through_scoreboard(const Kernel& k, std::uint32_t consumer, int number) {
  std::vector<std::uint32_t> producers;
  for (const Dependence& d : k.dependences_of(consumer)) {
    if (d.kind != Dependence::Kind::kRegister && d.index == number) producers.push_back(d.producer);
  }
  return producers;
}

TEST(Dependences, LastWriteWins) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("MOV").writes(R(0));
  p.op("MOV").writes(R(1)).reads(R(0)).reads(R(0));
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 2, R(0)), ElementsAre(1));
  EXPECT_EQ(k.dependences.size(), 1u);
}

TEST(Dependences, WideOperandsAreTakenApart) {
  WrittenProgram p;
  p.op("LDG").writes(R(4), 4);
  p.op("MOV").writes(R(5));
  p.op("MOV").reads(R(4), 2);
  p.op("MOV").reads(R(254), 4);  // ends at the file's end
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 2, R(4)), ElementsAre(0));
  EXPECT_THAT(through(k, 2, R(5)), ElementsAre(1));
  EXPECT_THAT(k.dependences_of(3), IsEmpty());
}

TEST(Dependences, FilesDoNotMix) {
  WrittenProgram p;
  p.op("MOV").writes(R(1));
  p.op("MOV").writes(UR(1));
  p.op("MOV").writes(P(1));
  p.op("MOV").when(1).reads(UR(1));
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 3, UR(1)), ElementsAre(1));
  EXPECT_THAT(through(k, 3, P(1)), ElementsAre(2));
  EXPECT_THAT(through(k, 3, R(1)), IsEmpty());
}

TEST(Dependences, AddressesAreRead) {
  WrittenProgram p;
  p.op("MOV").writes(R(2));
  p.op("MOV").writes(UR(4));
  p.op("LDG").writes(R(0));
  Operand& address = p.instructions[2].operand_storage[p.instructions[2].operand_count++];
  address.kind = Operand::Kind::kMemory;
  address.base = 2;
  address.descriptor = 4;
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 2, R(2)), ElementsAre(0));
  EXPECT_THAT(through(k, 2, UR(4)), ElementsAre(1));
}

// The paper's figure: a load under @P0 does not hide the one under @!P0.
TEST(Dependences, ComplementaryWritesCover) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("MOV").unless(0).writes(R(0));
  p.op("MOV").when(0).writes(R(0));
  p.op("MOV").reads(R(0));            // both, and not the first
  p.op("MOV").when(0).reads(R(0));    // only its own side
  p.op("MOV").unless(0).reads(R(0));  // likewise
  p.op("MOV").when(1).reads(R(0));    // says nothing of P0
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 3, R(0)), ElementsAre(1, 2));
  EXPECT_THAT(through(k, 4, R(0)), ElementsAre(2));
  EXPECT_THAT(through(k, 5, R(0)), ElementsAre(1));
  EXPECT_THAT(through(k, 6, R(0)), ElementsAre(1, 2));
}

TEST(Dependences, OneSideDoesNotCover) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("MOV").when(0).writes(R(0));
  p.op("MOV").reads(R(0));
  p.op("MOV").unless(0).reads(R(0));
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 2, R(0)), ElementsAre(0, 1));
  EXPECT_THAT(through(k, 3, R(0)), ElementsAre(0));
}

TEST(Dependences, UniformGuardsAreOtherPredicates) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("MOV").when_uniform(0).writes(R(0));
  p.op("MOV").unless(0).writes(R(0));
  p.op("MOV").reads(R(0));
  EXPECT_THAT(through(p.build(), 3, R(0)), ElementsAre(0, 1, 2));
}

TEST(Dependences, ChangedPredicateCoversNothing) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("MOV").when(0).writes(R(0));
  p.op("MOV").writes(P(0));
  p.op("MOV").unless(0).writes(R(0));
  p.op("MOV").reads(R(0));
  p.op("MOV").when(0).reads(R(0));
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 4, R(0)), ElementsAre(0, 1, 3));
  EXPECT_THAT(through(k, 5, R(0)), ElementsAre(0, 1));
}

TEST(Dependences, GuardIsReadWhateverItSays) {
  WrittenProgram p;
  p.op("MOV").writes(P(0));
  p.op("MOV").when(0).writes(P(0));
  p.op("MOV").when(0).reads(R(0));
  EXPECT_THAT(through(p.build(), 2, P(0)), ElementsAre(0, 1));
}

TEST(Dependences, NeverExecutedNeitherReadsNorWrites) {
  WrittenProgram p;
  p.op("MOV").writes(R(0)).sets(0);
  p.op("MOV").unless(kTrue).writes(R(0)).reads(R(0)).sets(1).waits(1);
  p.op("MOV").reads(R(0)).waits(2);
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 2, R(0)), ElementsAre(0));
  EXPECT_THAT(through(k, 1, R(0)), IsEmpty());
  EXPECT_THAT(through_scoreboard(k, 1, 0), ElementsAre(0));  // but it does wait
  EXPECT_THAT(through_scoreboard(k, 2, 1), IsEmpty());
}

TEST(Dependences, BranchTellsItsPredicate) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("MOV").when(0).writes(R(0));
  p.op("BRA").when(0).to(5);
  p.op("MOV").reads(R(0));  // P0 is false here
  p.op("EXIT");
  p.op("MOV").reads(R(0));  // and true here
  p.op("EXIT");
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 3, R(0)), ElementsAre(0));
  EXPECT_THAT(through(k, 5, R(0)), ElementsAre(1));
}

TEST(Dependences, CoverAcrossBlocks) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("MOV").when(0).writes(R(0));
  p.op("BRA").when(1).to(3);
  p.op("MOV").unless(0).writes(R(0));
  p.op("MOV").reads(R(0));
  EXPECT_THAT(through(p.build(), 4, R(0)), ElementsAre(1, 3));
}

TEST(Dependences, LoopCarried) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("MOV").reads(R(0)).writes(R(0));
  p.op("BRA").when(0).to(1);
  p.op("MOV").reads(R(0));
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 1, R(0)), ElementsAre(0, 1));
  EXPECT_THAT(through(k, 3, R(0)), ElementsAre(1));
}

TEST(Scoreboards, SettersAddUpUntilAWait) {
  WrittenProgram p;
  p.op("LDG").sets(0);
  p.op("LDG").sets(0);
  p.op("MOV").waits(1);
  p.op("LDG").sets(0).frees(1);
  p.op("MOV").waits(3);
  const Kernel k = p.build();
  EXPECT_THAT(through_scoreboard(k, 2, 0), ElementsAre(0, 1));
  EXPECT_THAT(through_scoreboard(k, 4, 0), ElementsAre(3));
  const auto last = k.dependences_of(4);
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(last[0].kind, Dependence::Kind::kScoreboardWrite);
  EXPECT_EQ(last[1].kind, Dependence::Kind::kScoreboardRead);
  EXPECT_EQ(last[1].index, 1);
}

TEST(Scoreboards, WaitComesBeforeSetInOneInstruction) {
  WrittenProgram p;
  p.op("LDG").sets(0);
  p.op("LDG").sets(0).waits(1);
  p.op("MOV").waits(1);
  const Kernel k = p.build();
  EXPECT_THAT(through_scoreboard(k, 1, 0), ElementsAre(0));
  EXPECT_THAT(through_scoreboard(k, 2, 0), ElementsAre(1));
}

TEST(Scoreboards, PartialWaitSparesTheLast) {
  WrittenProgram p;
  p.op("LDG").sets(0);
  p.op("LDG").sets(0);
  p.op("LDG").sets(3);
  p.op("DEPBAR").until(0, 1, 1 << 3);
  p.op("DEPBAR").until(0, 0);
  p.op("MOV").waits(1);
  const Kernel k = p.build();
  EXPECT_THAT(through_scoreboard(k, 3, 0), ElementsAre(0));
  EXPECT_THAT(through_scoreboard(k, 3, 3), ElementsAre(2));
  EXPECT_THAT(through_scoreboard(k, 4, 0), ElementsAre(0, 1));  // the partial wait hid nothing
  EXPECT_THAT(through_scoreboard(k, 5, 0), IsEmpty());
}

TEST(Scoreboards, PartialWaitInAPipelinedLoop) {
  WrittenProgram p;
  p.op("LDG").sets(0);
  p.op("LDG").sets(0);  // the loop: one load ahead
  p.op("DEPBAR").until(0, 1);
  p.op("BRA").when(0).to(1);
  // The loop's own load of the round before, or the first; never the one just issued.
  EXPECT_THAT(through_scoreboard(p.build(), 2, 0), ElementsAre(0, 1));
  p.instructions[3].operand_count = 0;  // no loop
  p.instructions[3].opcode = test::opcode("NOP");
  EXPECT_THAT(through_scoreboard(p.build(), 2, 0), ElementsAre(0));
}

// main: R0 = .. ; R1 = ..; call f; use R0, R1 — twice; f: writes R1, reads R0.
TEST(Calls, ValuesPassInAndOutPerCallSite) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));              // 0
  p.op("MOV").writes(R(1));              // 1
  p.op("CALL").to(9);                    // 2
  p.op("MOV").reads(R(0)).reads(R(1));   // 3
  p.op("MOV").writes(R(0));              // 4
  p.op("MOV").writes(R(1));              // 5
  p.op("CALL").to(9);                    // 6
  p.op("MOV").reads(R(0)).reads(R(1));   // 7
  p.op("EXIT");                          // 8
  p.op("MOV").reads(R(0)).writes(R(1));  // 9
  p.op("RET").reads(R(20), 2);           // 10
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 9, R(0)), ElementsAre(0, 4));  // from either caller
  EXPECT_THAT(through(k, 3, R(0)), ElementsAre(0));     // but back to its own only
  EXPECT_THAT(through(k, 7, R(0)), ElementsAre(4));
  EXPECT_THAT(through(k, 3, R(1)), ElementsAre(9));  // always overwritten in f
  EXPECT_THAT(through(k, 7, R(1)), ElementsAre(9));
}

TEST(Calls, CalleeThatMayLeaveARegisterAlone) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("CALL").to(4);
  p.op("MOV").reads(R(0));
  p.op("EXIT");
  p.op("MOV").when(0).writes(R(0));
  p.op("RET");
  EXPECT_THAT(through(p.build(), 2, R(0)), ElementsAre(0, 4));
}

TEST(Calls, Recursion) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));              // 0
  p.op("CALL").to(4);                    // 1
  p.op("MOV").reads(R(0));               // 2
  p.op("EXIT");                          // 3
  p.op("BRA").when(0).to(7);             // 4: f
  p.op("MOV").reads(R(0)).writes(R(0));  // 5
  p.op("CALL").to(4);                    // 6
  p.op("RET");                           // 7
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 2, R(0)), ElementsAre(0, 5));
  EXPECT_THAT(through(k, 5, R(0)), ElementsAre(0, 5));
}

TEST(Calls, UnknownCalleeIsPassed) {
  WrittenProgram p;
  p.op("MOV").writes(R(0)).sets(2);
  p.op("CALL").reads(R(2), 2);
  p.op("MOV").reads(R(0)).waits(4);
  const Kernel k = p.build();
  EXPECT_THAT(through(k, 2, R(0)), ElementsAre(0));
  EXPECT_THAT(through_scoreboard(k, 2, 2), ElementsAre(0));
}

TEST(Dependences, LongChainsAreCutAndMarked) {
  constexpr std::uint32_t kLength = 1000;
  WrittenProgram p;
  for (std::uint32_t i = 0; i < kLength; ++i) {
    p.op("MOV").writes(P(0));
    p.op("MOV").when(0).writes(R(0));
  }
  p.op("MOV").reads(R(0));
  p.op("MOV").reads(P(0));
  const Kernel k = p.build();
  const std::vector<std::uint32_t> producers = through(k, 2 * kLength, R(0));
  EXPECT_EQ(producers.size(), kMaxProducers);
  EXPECT_EQ(producers.back(), 2 * kLength - 1);  // the nearest are kept
  EXPECT_THAT(k.partial, ElementsAre(2 * kLength));
}

TEST(Dependences, CanBeLeftOut) {
  WrittenProgram p;
  p.op("MOV").writes(R(0));
  p.op("MOV").reads(R(0));
  EXPECT_THAT(p.build({.dependences = false}).dependences, IsEmpty());
  EXPECT_EQ(p.build().dependences.size(), 1u);
}

// Base and uniform register make the address; the descriptor, the guard, what is stored and who is
// waited for do not.
TEST(Dependences, SomeFeedTheAddress) {
  WrittenProgram p;
  p.op("MOV").writes(R(2), 2);
  p.op("MOV").writes(UR(4));
  p.op("MOV").writes(UR(6), 2);
  p.op("MOV").writes(R(8));
  p.op("MOV").writes(P(0));
  p.op("LDG").writes(R(9)).sets(2);
  p.op("STG").when(0).at(R(2), UR(4), UR(6)).reads(R(8)).waits(1u << 2);
  p.op("EXIT");
  const Kernel kernel = p.build();
  std::set<std::uint32_t> all;
  std::set<std::uint32_t> feeding;
  for (const Dependence& d : kernel.dependences_of(6)) {
    all.insert(d.producer);
    if (feeds_address(kernel.instructions[6], d)) feeding.insert(d.producer);
  }
  EXPECT_EQ(all, (std::set<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(feeding, (std::set<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace burin::read
