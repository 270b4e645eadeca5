// Does advice on arithmetic name the lines whose operands make it expensive, and only what the
// source can change? tests/data/emulate/arithmetic.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "asked.h"

namespace burin::advise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Advised arithmetic(const std::string& kernel, const timing::TimedLaunch::Shape& shape) {
  return Advised("arithmetic.fatbin", kernel, shape);
}

Advised residues() {
  return arithmetic("residues", {.grid = {528},
                                 .block = {256},
                                 .arguments = {"buf:540672:int:1000000", "buf:540672:undef",
                                               "i64:4294967291", "i32:30", "buf:4:zero"}});
}

Advised bearings() {
  return arithmetic("bearings", {.grid = {264},
                                 .block = {128},
                                 .arguments = {"buf:135168:f32", "buf:135168:undef", "i32:40"}});
}

// The line table's last row before the routine is that of the atomicAdd.
TEST(Arithmetic, ADivisionInARoutineOfItsOwnIsAtTheLineThatDivides) {
  const Advised launch = residues();
  const auto found = ask("strength-reduction", launch);
  ASSERT_TRUE(found);
  EXPECT_EQ(place_name(launch.study().kernel(), found->where), "arithmetic.cu:10");
  EXPECT_THAT(found->text, HasSubstr("64-bit division at arithmetic.cu:10"));
  EXPECT_THAT(found->hint, AllOf(HasSubstr("a product of 64 bits"), Not(HasSubstr("Use 32 bits"))));
  for (const Hotspot& spot : found->hotspots) EXPECT_NE(spot.function, "atomicAdd");
}

TEST(Arithmetic, APositionThatBecomesAnIndexIsConverted) {
  EXPECT_FALSE(ask("strength-reduction",
                   arithmetic("march", {.grid = {528},
                                        .block = {256},
                                        .arguments = {"buf:540672:f32", "buf:540672:undef",
                                                      "i32:135168", "f32:0.5", "i32:50"}})));
}

// The coefficients of cos are a table of doubles, which is not the caller's.
TEST(Arithmetic, FunctionsInDoublePrecisionOfFloatsAreFound) {
  const Advised launch = bearings();
  Case c = launch.launch_case();
  c.source_line = [](std::string_view, std::uint32_t line) -> std::string {
    if (line == 36) return "sum += log(2.0 + cos(start + 0.1 * b));";
    if (line == 34) return "double sum = 0;";
    return line == 38 ? "out[i] = sum;" : "";
  };
  const auto found = ask("precision", c);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.5);
  EXPECT_THAT(found->hint,
              AllOf(HasSubstr("At arithmetic.cu:36: `2.0` and `0.1` are double literals"),
                    HasSubstr("`log` and `cos` are the double versions: write `logf`, `cosf`"),
                    HasSubstr("At arithmetic.cu:34: declare `sum` as float"),
                    Not(HasSubstr("arithmetic.cu:38"))));
  // Rounding inside cos cannot go, nor can its slow path be inlined.
  EXPECT_FALSE(ask("strength-reduction", launch));
  EXPECT_FALSE(ask("function-inlining", launch));
}

TEST(Arithmetic, LoadsAfterASlowPathAreIssuedWithThoseBeforeIt) {
  const auto found =
      ask("fast-math", arithmetic("relax", {.grid = {132},
                                            .block = {128},
                                            .arguments = {"buf:4194304:f32", "buf:4194304:f32",
                                                          "buf:4194304:f32", "i32:1048576"}}));
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.3);
  EXPECT_THAT(found->text, HasSubstr("in waits for loads that the branches around slow paths"));
  double told = 0;
  static const std::regex share(R"((\d+) %)");
  for (std::sregex_iterator m(found->text.begin(), found->text.end(), share), end; m != end; ++m) {
    told += std::stod((*m)[1]);
  }
  EXPECT_NEAR(told, 100 * found->share, 1.5);
  // The root on the same line keeps its branch, whatever replaces the division.
  EXPECT_THAT(found->hint, Not(HasSubstr("__fdividef there")));
}

TEST(Arithmetic, FlushingIsToldWhereMostTestsAre) {
  const Advised launch =
      arithmetic("decays", {.grid = {1056},
                            .block = {256},
                            .arguments = {"buf:1081344:f32", "buf:1081344:undef", "i32:100"}});
  const auto found = ask("flush-denormals", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("tests at arithmetic.cu:60 whether"));
  EXPECT_THAT(found->hint, HasSubstr("--use_fast_math includes it, and would gain mainly by it"));
  // A division before the loop is not what takes the time.
  EXPECT_FALSE(ask("fast-math", launch));
}

}  // namespace
}  // namespace burin::advise
