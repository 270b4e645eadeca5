// The instruction tables: every row must compile, and say what it means.
#include <gtest/gtest.h>

#include "read/isa/form.h"

namespace burin::read {
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

TEST(Table, FlagsSayWhatItIs) {
  const auto forms = isa::compile_forms(
      "LDGSTS | lsu[global load store copy async] | dae | 80- | | [R16], [R24]\n"
      "F2I | xu[f32>int] | 305 | 70- | | >R@16, S\n"
      "DADD | fp64[add] | 229 | 70- | | >R@16*2, A\n"
      "BAR | control[block_barrier] | b1d | 70- | | I@54:57\n");
  ASSERT_TRUE(forms.ok()) << forms.error().message;
  const Opcode& copy = (*forms)[0].opcode;
  EXPECT_EQ(copy.space, Space::kGlobal);
  EXPECT_TRUE(copy.loads && copy.stores && copy.has(Trait::kCopy) && copy.has(Trait::kAsync));
  EXPECT_FALSE(copy.has(Trait::kAtomic));
  EXPECT_EQ((*forms)[1].opcode.operand_type, ValueType::kF32);
  EXPECT_EQ((*forms)[1].opcode.result_type, ValueType::kInteger);
  EXPECT_TRUE((*forms)[1].opcode.has(Trait::kConversion));
  EXPECT_EQ((*forms)[2].opcode.operand_type, ValueType::kF64);  // its pipe's
  EXPECT_EQ((*forms)[2].opcode.arithmetic, Arithmetic::kAdd);
  EXPECT_EQ((*forms)[3].opcode.sync, Sync::kBlockBarrier);
}

TEST(Table, MistakesAreNamed) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"FADD | fma | 221 | 70- | ftz@80=FTZ\n", "six columns"},
      {"FADD | wat | 221 | 70- | | A\n", "pipe"},
      {"FADD | fma[sum] | 221 | 70- | | A\n", "flag"},
      {"F2I | xu[f32>wat] | 305 | 70- | | A\n", "flag"},
      {"BAR | control[block_barrier fence] | b1d | 70- | | A\n", "flag"},  // both at once
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
}  // namespace burin::read
