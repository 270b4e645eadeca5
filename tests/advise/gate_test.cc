// Are thresholds read as they are written, and refused in words where they cannot be?
#include "advise/compare/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace burin::advise {
namespace {

using testing::HasSubstr;

constexpr Measure kMeasures[] = {
    {"speedup", "", "a gain"},
    {"spills", "", "a count"},
    {"rule", "ID", "a rule's gain"},
    {"advice", "[RULE]", "a gain"},
};

Gate gate(std::string_view text) {
  const Result<Gate> parsed = parse_gate(text, kMeasures);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : Gate{};
}

TEST(Gate, ComparesAsWritten) {
  EXPECT_TRUE(gate("speedup>1.2").is_crossed_by(1.21));
  EXPECT_FALSE(gate("speedup>1.2").is_crossed_by(1.2));
  EXPECT_TRUE(gate("speedup >= 1.2").is_crossed_by(1.2));
  EXPECT_TRUE(gate("speedup<1.2").is_crossed_by(1.1));
  EXPECT_FALSE(gate("speedup<1.2").is_crossed_by(1.2));
  EXPECT_TRUE(gate(" speedup <= 1.2 ").is_crossed_by(1.2));
  EXPECT_TRUE(gate("speedup>-3").is_crossed_by(-2));
}

TEST(Gate, MeansMoreThanNothingWithoutANumber) {
  EXPECT_TRUE(gate("spills").is_crossed_by(1));
  EXPECT_FALSE(gate("spills").is_crossed_by(0));
}

TEST(Gate, HasAPartBehindTheColon) {
  const Gate parsed = gate("rule:bank-conflicts>1.1");
  EXPECT_EQ(parsed.measure, "rule");
  EXPECT_EQ(parsed.part, "bank-conflicts");
  EXPECT_EQ(parsed.limit, 1.1);
  EXPECT_EQ(parsed.text, "rule:bank-conflicts>1.1");
  EXPECT_EQ(gate("advice").part, "");
  EXPECT_EQ(gate("advice:coalescing").part, "coalescing");
}

TEST(Gate, RefusesInASentence) {
  const std::pair<const char*, const char*> cases[] = {
      {"sped>1.2", "unknown metric 'sped'"},          {"spedup>1.2", "did you mean speedup?"},
      {"", "use one of speedup, spills, rule"},       {"rule>1.1", "expected rule:ID"},
      {"spills:x", "spills takes no ':' suffix"},     {"speedup>", "expected a number after >"},
      {"speedup>fast", "expected a number after >"},  {"speedup>nan", "expected a number after >"},
      {"speedup>=inf", "expected a number after >="},
  };
  for (const auto& [text, words] : cases) {
    const Result<Gate> parsed = parse_gate(text, kMeasures);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr(words));
    EXPECT_EQ(parsed.error().exit, Exit::kUsage);
  }
}

}  // namespace
}  // namespace burin::advise
