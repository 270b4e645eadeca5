// The instruction tables: every row must compile, and say what it means.
#include <gtest/gtest.h>

#include "read/isa/form.h"

namespace burin {
namespace {

TEST(Table, EveryRowCompiles) {
  for (const char* table : isa::tables()) {
    const auto forms = isa::compile_forms(table);
    EXPECT_TRUE(forms.ok()) << forms.error().message;
  }
}

TEST(Table, RowsSayWhatTheyMean) {
  const auto forms = isa::compile_forms(
      "FADD | fma | _21:24 | 70-89 100 | ftz@80=FTZ round@78:79=%round | >R@16*2, A:f, S:f?91=0\n");
  ASSERT_TRUE(forms.ok()) << forms.error().message;
  ASSERT_EQ(forms->size(), 4u);  // two opcodes, two ranges of architectures
  const isa::Form& form = forms->front();
  EXPECT_EQ(form.bits, 0x221);
  EXPECT_EQ(form.from_sm, 70);
  EXPECT_EQ(form.to_sm, 89);
  EXPECT_EQ(form.opcode.pipe, Pipe::kFma);
  ASSERT_EQ(form.modifiers.size(), 2u);
  EXPECT_EQ(form.modifiers[1].choice.texts.size(), 4u);
  ASSERT_EQ(form.operands.size(), 3u);
  EXPECT_TRUE(form.operands[0].written);
  EXPECT_EQ(form.operands[0].count, 2);
  EXPECT_EQ(form.operands[2].when.all.size(), 1u);
}

TEST(Table, MistakesAreNamed) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"FADD | fma | 221 | 70- | ftz@80=FTZ\n", "six columns"},
      {"FADD | wat | 221 | 70- | | A\n", "pipe"},
      {"FADD | fma | 22 | 70- | | A\n", "opcode"},
      {"FADD | fma | 221 | x | | A\n", "architecture"},
      {"FADD | fma | 221 | 70- | ftz@=FTZ | A\n", "modifier"},
      {"FADD | fma | 221 | 70- | ftz@80=%nolist | A\n", "modifier"},
      {"FADD | fma | 221 | 70- | | R@999\n", "operand"},
      {"FADD | fma | 221 | 70- | | [R24 ?]\n", "operand"},
  };
  for (const auto& [row, word] : mistakes) {
    const auto forms = isa::compile_forms(row);
    ASSERT_FALSE(forms.ok()) << row;
    EXPECT_NE(forms.error().message.find(word), std::string::npos) << forms.error().message;
  }
}

TEST(Table, BitsAcrossTheMiddleOfTheWord) {
  const isa::Word word{0x8000000000000000, 0x1};
  EXPECT_EQ(word.bits(63, 2), 3u);
  EXPECT_EQ(word.bits(63, 1), 1u);
  EXPECT_EQ(word.bits(64, 64), 1u);
  EXPECT_EQ(word.bits(0, 64), 0x8000000000000000u);
}

}  // namespace
}  // namespace burin
