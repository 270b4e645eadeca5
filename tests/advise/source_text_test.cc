// Is the user told only of what the source has?
#include "advise/case/source_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "advised.h"
#include "analyze/code/regions.h"
#include "base/format.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;

TEST(SourceText, DivisionsByNumbersAreProducts) {
  for (const char* line : {"y = a / b;", "y = a % n;", "a /= step;", "k = CEIL_DIV(a, b);",
                           "row = i / (width + 1);", "if (tid % (2 * s) == 0)"}) {
    EXPECT_TRUE(has_construct(line, Construct::kDivision)) << line;
  }
  for (const char* line :
       {"for (int i = t; i < n; i += step) {", "y = a / 4;", "y = a % 32;", "y = a / (2 * 16);",
        "x = y;  // a / b", "printf(\"%d\", a);", "a /* half / b */ = 1;"}) {
    EXPECT_FALSE(has_construct(line, Construct::kDivision)) << line;
  }
}

TEST(SourceText, ConditionsAndLoops) {
  for (const char* line :
       {"if (x) return;", "y = x ? 1 : 2;", "while (a && b) {", "for (;;) {", "CHECK_RANGE(x);"}) {
    EXPECT_TRUE(has_construct(line, Construct::kCondition)) << line;
  }
  EXPECT_FALSE(has_construct("for (;;) {", Construct::kTest));
  EXPECT_TRUE(has_construct("while (a && b) {", Construct::kTest));
  EXPECT_FALSE(has_construct("y = powf(x, 2.2f);", Construct::kCondition));
  EXPECT_FALSE(has_construct("iffy = format(x);", Construct::kCondition));
  EXPECT_TRUE(has_construct("do {", Construct::kLoop));
  EXPECT_TRUE(has_construct("for (int k = 0; k < n; ++k) {", Construct::kLoop));
  EXPECT_FALSE(has_construct("if (x[i] > best) best = x[i];", Construct::kLoop));
}

// The kernel's lines, with a text for each that the test makes up.
class OfKernel : public testing::Test {
 protected:
  Case with(const std::map<std::uint32_t, std::string>& lines) const {
    Case c = sum_.launch_case();
    c.source_line = [lines](std::string_view, std::uint32_t line) {
      const auto found = lines.find(line);
      return found == lines.end() ? std::string("x = y;") : found->second;
    };
    return c;
  }
  std::uint32_t loop() const { return 0; }
  read::LoopLines lines() const { return *sum_.launch_case().places.loop_lines(loop()); }
  std::uint32_t inside() const {
    const read::Kernel& kernel = sum_.study().kernel();
    return kernel.blocks[kernel.loops[loop()].header].first;
  }

  Advised sum_{"sum_shared/odd"};
};

TEST_F(OfKernel, ALoopIsNamedByItsForAndNotByWhatIsInside) {
  EXPECT_THAT(loop_name(with({{lines().first, "for (;;) {"}}), loop()),
              HasSubstr(fmt::format("reduce.cu:{}", lines().first)));
  EXPECT_THAT(loop_name(with({{lines().first - 2, "while (a) {"}}), loop()),
              HasSubstr(fmt::format("loop at reduce.cu:{}-", lines().first - 2)));
  EXPECT_THAT(loop_name(with({}), loop()), HasSubstr("loop made by the compiler at "));
  EXPECT_EQ(loop_name(with({}), read::kNoIndex), "");
}

TEST_F(OfKernel, AStatementMayHaveSeveralLines) {
  const std::uint32_t line = analyze::line_of(sum_.study().kernel(), inside()).line;
  EXPECT_FALSE(may_have(with({}), inside(), Construct::kCondition));
  EXPECT_TRUE(may_have(with({{line, "if (a) {"}}), inside(), Construct::kCondition));
  EXPECT_TRUE(
      may_have(with({{line - 1, "if (a"}, {line, "    > b) {"}}), inside(), Construct::kCondition));
  EXPECT_TRUE(may_have(with({{line, "x = a"}, {line + 1, "    ? b : c;"}}), inside(),
                       Construct::kCondition));
  EXPECT_FALSE(may_have(with({{line - 1, "if (a) ++b;"}}), inside(), Construct::kCondition));
  // Where nothing is known, nothing is denied.
  EXPECT_TRUE(may_have(sum_.launch_case(), inside(), Construct::kCondition));
}

}  // namespace
}  // namespace burin::advise
