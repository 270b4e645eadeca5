// Are kernels and lines of two builds found again, and are their changes told?
#include "report/advice/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/program/classes.h"

namespace burin::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

advise::KernelFacts kernel(const std::string& name, std::uint64_t loads, std::uint64_t integers) {
  advise::KernelFacts facts{.name = name, .demangled = name};
  facts.classes.resize(read::instruction_classes().size());
  facts.classes[6] = integers;
  facts.classes[10] = loads;
  facts.instructions = loads + integers;
  facts.digest = name + std::to_string(loads) + "/" + std::to_string(integers);
  return facts;
}

TEST(Pairs, KernelsOfOneNameBelongTogether) {
  const std::vector<advise::KernelFacts> before = {kernel("a", 1, 2), kernel("b", 3, 4)};
  const std::vector<advise::KernelFacts> after = {kernel("b", 90, 4), kernel("a", 1, 2)};
  const advise::KernelPairs pairs = advise::pair_kernels(before, after);
  ASSERT_EQ(pairs.both.size(), 2u);
  EXPECT_EQ(pairs.both[0].after, &after[1]);
  EXPECT_EQ(pairs.both[1].after, &after[0]);
  EXPECT_FALSE(pairs.both[1].renamed);
  EXPECT_TRUE(pairs.gone.empty());
  EXPECT_TRUE(pairs.added.empty());
}

TEST(Pairs, ARenamedKernelIsKnownByNameAndCode) {
  const std::vector<advise::KernelFacts> before = {
      kernel("void reduce<float, 256>(float*, int)", 20, 40), kernel("histogram", 5, 70)};
  const std::vector<advise::KernelFacts> after = {
      kernel("void reduce<float, 512>(float*, int)", 22, 40), kernel("softmax", 30, 2)};
  const advise::KernelPairs pairs = advise::pair_kernels(before, after);
  ASSERT_EQ(pairs.both.size(), 1u);
  EXPECT_EQ(pairs.both[0].before, &before[0]);
  EXPECT_EQ(pairs.both[0].after, &after[0]);
  EXPECT_TRUE(pairs.both[0].renamed);
  EXPECT_THAT(pairs.gone, ElementsAre(&before[1]));
  EXPECT_THAT(pairs.added, ElementsAre(&after[1]));
}

TEST(Lines, AreAlignedByTheirText) {
  const std::string_view before[] = {"a", "b", "c", "d"};
  const std::string_view after[] = {"new", "a", "c changed", "x", "d"};
  // b and c stand where "c changed" and x do.
  EXPECT_THAT(advise::align_lines(before, after), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(advise::align_lines(before, {}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(advise::align_lines(before, before), ElementsAre(1, 2, 3, 4));
}

TEST(Lines, WithoutTheTextAreNumberedAlike) {
  advise::KernelFacts before = kernel("k", 1, 1);
  advise::KernelFacts after = kernel("k", 1, 2);
  before.lines[{"/proc/nowhere/old.cu", 7}] = {.instructions = 3, .share = 0.5};
  before.lines[{"/proc/nowhere/old.cu", 8}] = {.instructions = 1, .share = 0.1};
  after.lines[{"/proc/nowhere/new.cu", 7}] = {.instructions = 9, .share = 0.2};
  read::SourceText first("/proc/nowhere");
  read::SourceText second("/proc/nowhere");
  const advise::LineMatch match(before, after, first, second);
  const std::vector<advise::LineChange> changes = advise::line_changes(before, after, match);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].after->line, 7u);  // the larger change first
  EXPECT_EQ(changes[0].was.instructions, 3u);
  EXPECT_EQ(changes[0].is.instructions, 9u);
  EXPECT_FALSE(changes[1].after);  // line 8 is gone
}

class DiffTest : public testing::Test {
 protected:
  DiffTest() {
    before_.kernels = {kernel("k", 1, 1)};
    after_.kernels = {kernel("k", 1, 5)};
    advise::KernelFacts& was = before_.kernels[0];
    advise::KernelFacts& is = after_.kernels[0];
    was.registers = 20;
    is.registers = 28;
    was.predicted_us = 100;
    is.predicted_us = 110;
    was.advice = {{.rule = "coalescing", .speedup = 1.5, .where = {"a.cu", 3}},
                  {.rule = "fast-math", .speedup = 1.1, .where = {"a.cu", 4}}};
    is.advice = {{.rule = "bank-conflicts", .speedup = 1.3, .where = {"a.cu", 5}},
                 {.rule = "fast-math", .speedup = 1.2, .where = {"a.cu", 9}}};
  }

  std::vector<advise::Crossing> crossed(const char* text) {
    const Result<advise::Gate> gate = advise::parse_gate(text, advise::diff_measures());
    EXPECT_TRUE(gate) << text;
    read::SourceText source("/proc/nowhere");
    const advise::Diff diff = advise::compare_sides(before_, after_, source, source);
    return advise::crossings({&*gate, 1}, diff);
  }

  std::string text() {
    std::string all;
    Output out([&](std::string_view part) {
      all += part;
      return true;
    });
    read::SourceText source("/proc/nowhere");
    const advise::Diff diff = advise::compare_sides(before_, after_, source, source);
    write_diff(out, diff, {}, source);
    out.flush();
    return all;
  }

  advise::DiffSide before_{.file = "a"};
  advise::DiffSide after_{.file = "b"};
};

TEST_F(DiffTest, GatesAreHeldAgainstTheChange) {
  EXPECT_EQ(crossed("time>1.05").size(), 1u);
  EXPECT_EQ(crossed("time>1.1").size(), 0u);
  EXPECT_EQ(crossed("registers").size(), 1u);
  EXPECT_EQ(crossed("registers>8").size(), 0u);
  EXPECT_EQ(crossed("spills").size(), 0u);
  EXPECT_EQ(crossed("instructions>=4").size(), 1u);
  EXPECT_EQ(crossed("advice>1.2").size(), 1u);
  EXPECT_EQ(crossed("advice:fast-math").size(), 0u);  // it has only moved
  EXPECT_THAT(crossed("time>1.05")[0].sentence, HasSubstr("110 µs, was 100 µs"));
}

TEST_F(DiffTest, AMeasuredTimeIsBelievedBeforeAPredictedOne) {
  before_.kernels[0].measured_us = 100;
  EXPECT_EQ(crossed("time>1.05").size(), 1u);  // only one is measured
  after_.kernels[0].measured_us = 101;
  EXPECT_EQ(crossed("time>1.05").size(), 0u);
}

TEST_F(DiffTest, TheTextTellsWhatChanged) {
  const std::string all = text();
  EXPECT_THAT(all, HasSubstr("a -> b: 1 kernel in both, 1 changed\n"));
  EXPECT_THAT(all, HasSubstr("registers                     20          28   +8\n"));
  EXPECT_THAT(all, HasSubstr("1.10× slower"));
  EXPECT_THAT(all, HasSubstr("advice fixed        1.50×  coalescing at a.cu:3\n"));
  EXPECT_THAT(all, HasSubstr("advice new          1.30×  bank-conflicts at a.cu:5\n"));
  EXPECT_THAT(all, testing::Not(HasSubstr("fast-math")));
}

// It is the next thing to do, though it did not change.
TEST_F(DiffTest, TheLargestAdviceThatIsLeftIsTold) {
  for (advise::DiffSide* side : {&before_, &after_}) {
    for (advise::AdviceFacts& advice : *side->kernels[0].advice) {
      if (advice.rule == "fast-math") advice.speedup = 1.4;
    }
  }
  EXPECT_THAT(text(), HasSubstr("advice kept         1.40×  fast-math at "));
}

TEST_F(DiffTest, WhatIsTheSameIsNotTold) {
  after_.kernels = before_.kernels;
  EXPECT_EQ(text(), "a -> b: 1 kernel in both, none changed\n");
}

}  // namespace
}  // namespace burin::report
