// Is code that does too much recognised: split warps, tests that decide nothing, doubles among
// floats, work that neighbours could share?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/case/origin.h"
#include "advise/patterns/code/lanes.h"
#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;

TEST(Divergence, LanesOfDifferentLengthAreFound) {
  const auto found = ask("divergence", Advised("collatz/large"));
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1.1);
}

// A tree in which every second, fourth … thread works.
TEST(Divergence, AThreadsNumberAloneMayBeNumberedAnew) {
  const auto tree =
      ask("divergence", Advised("merge_moments", "merge_moments",
                                {.grid = {4224},
                                 .block = {256},
                                 .arguments = {"buf:17301504:f32", "buf:67584:undef", "i32:4"}}));
  ASSERT_TRUE(tree);
  EXPECT_THAT(tree->hint, HasSubstr("depends on the thread index alone"));
  EXPECT_THAT(tree->hint, HasSubstr("2 * k * threadIdx.x"));
}

TEST(Divergence, FullWarpsAreLeftAlone) {
  EXPECT_FALSE(ask("divergence", Advised("saxpy/large")));
  EXPECT_FALSE(ask("divergence", Advised("product_f32/large")));
}

// Lanes that a block never had are no branch's doing.
TEST(Divergence, SmallBlocksAreNotSplit) {
  const Advised launch("stream", "saxpy",
                       {.grid = {132},
                        .block = {24},
                        .arguments = {"f32:2", "buf:12672:f32", "buf:12672:f32", "i32:3168"}});
  EXPECT_FALSE(ask("divergence", launch));
}

// Behind a cutoff there is little to do, and nearly all warps have a lane that does it.
TEST(BranchElimination, ALittleBehindABranchIsAsWellDoneAlways) {
  const Advised forces("fluid_forces", "fluid_forces",
                       {.grid = {528},
                        .block = {128},
                        .arguments = {"buf:1081344:f32", "buf:16896:int:528", "buf:1081344:undef",
                                      "hex:cdcc4c3f0000003f", "i32:2"}});
  const Advice advice = forces.advice({.only = {"branch-elimination"}});
  ASSERT_FALSE(advice.findings.empty());
  EXPECT_THAT(advice.findings[0].hint, HasSubstr("compute always and select"));
  EXPECT_GT(*advice.findings[0].speedup_emulated, 1.15);
}

TEST(BranchElimination, LoopsAreNotTests) {
  const auto found = ask("branch-elimination", Advised("polynomial/large"));
  EXPECT_LT(found ? found->speedup : 1, 1.1);
}

// Corrections of a quotient that never happen are the compiler's, and so are lines without a test.
TEST(BranchElimination, DivisionsAndLinesWithoutATestAreLeftAlone) {
  const Advised torus(
      "torus_diffusion", "torus_diffusion",
      {.grid = {512},
       .block = {256},
       .arguments = {"buf:524288:f32", "buf:524288:undef", "i32:512", "i32:256", "f32:0.1"}});
  EXPECT_FALSE(ask("branch-elimination", torus));
  const Advised blur("blur_checked", "blur_checked",
                     {.grid = {4, 16},
                      .block = {32, 8},
                      .arguments = {"buf:102400:f32", "buf:196:f32", "buf:65536:undef", "i32:128",
                                    "i32:128", "i32:160", "i32:160"}});
  Case c = blur.launch_case();
  c.source_line = [](std::string_view, std::uint32_t) { return "sum += weight * value;"; };
  EXPECT_FALSE(ask("branch-elimination", c));
}

// A quotient that no line of the source has: of a trip count, by the step of its loop.
TEST(StrengthReduction, DivisionsThatTheSourceDoesNotHaveAreLeftAlone) {
  const Advised torus(
      "torus_diffusion", "torus_diffusion",
      {.grid = {512},
       .block = {256},
       .arguments = {"buf:524288:f32", "buf:524288:undef", "i32:512", "i32:256", "f32:0.1"}});
  Case c = torus.launch_case();
  EXPECT_THAT(ask("strength-reduction", c)->text, HasSubstr("Integer division"));
  c.source_line = [](std::string_view, std::uint32_t) { return "for (; i < n; i += step) {"; };
  const auto found = ask("strength-reduction", c);
  EXPECT_THAT(found ? found->text : "", testing::Not(HasSubstr("division")));
}

TEST(BranchElimination, GuardsInsideOfALoopAreFound) {
  const Advised launch("blur_checked", "blur_checked",
                       {.grid = {4, 16},
                        .block = {32, 8},
                        .arguments = {"buf:102400:f32", "buf:196:f32", "buf:65536:undef", "i32:128",
                                      "i32:128", "i32:160", "i32:160"}});
  const auto found = ask("branch-elimination", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("blur_checked.cu:22"));  // the four tests of each weight
  EXPECT_GT(found->share, 0.1);
}

TEST(Precision, DoubleLiteralsAmongFloatsAreFound) {
  const Advised launch(
      "chip_temperature", "chip_temperature",
      {.grid = {16, 16},
       .block = {16, 8},
       .arguments = {"buf:131072:f32", "buf:131072:f32", "buf:131072:undef", "i32:256", "i32:128",
                     "f32:0.1", "f32:0.2", "f32:0.05", "f32:0.01"}});
  Case c = launch.launch_case();
  c.source_line = [](std::string_view, std::uint32_t) {
    return std::string("flow += share * along_x * (before[east] + before[west] - 2.0 * here);");
  };
  const auto found = ask("precision", c);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("`2.0` is a double literal: write `2.0f`"));
  // What waits for a load waits for it in single precision too, by the samples alone as well.
  for (const Hotspot& spot : found->hotspots) {
    EXPECT_FALSE(spot.cause != spot.waits && c.at(spot.cause).opcode->loads);
  }
  c.source_line = [](std::string_view, std::uint32_t) { return "y = 2.0 * exp(x) + 0.5 * 2.0f;"; };
  EXPECT_THAT(ask("precision", c)->hint,
              HasSubstr("`2.0` and `0.5` are double literals: write `2.0f`, `0.5f`; `exp` is"));
}

TEST(Precision, DoublesThatAreMeantAreLeftAlone) {
  EXPECT_FALSE(ask("precision", Advised("transcendental_f64/large")));
  EXPECT_FALSE(ask("precision", Advised("triad/large")));
  EXPECT_FALSE(ask("precision", Advised("functions_f32/large")));
}

TEST(ThreadCoarsening, AFactorThatRowsShareIsFound) {
  const Advised launch("dense", "product_f32",
                       {.grid = {64, 64},
                        .block = {16, 16},
                        .arguments = {"buf:262144:f32", "buf:262144:f32", "buf:4194304:undef",
                                      "i32:1024", "i32:1024", "i32:64"}});
  const auto found = ask("thread-coarsening", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1);
  EXPECT_THAT(found->hint, HasSubstr("along y"));
}

TEST(ThreadCoarsening, WorkOfOneThreadAloneIsLeftAlone) {
  EXPECT_FALSE(ask("thread-coarsening", Advised("saxpy/large")));
  EXPECT_FALSE(ask("thread-coarsening", Advised("transpose_padded/large")));
}

// Blocks of differ only in blockIdx.z read the same pixels, with weights of their own.
TEST(ThreadCoarsening, BlocksShareWhatDoesNotDependOnTheirPlaceInTheGrid) {
  const auto found =
      ask("thread-coarsening",
          Advised("convolve_layer", "convolve_layer",
                  {.grid = {8, 32, 32},
                   .block = {32, 8},
                   .arguments = {"buf:8520192:f32", "buf:36864:f32", "buf:128:f32",
                                 "buf:8388608:undef", "hex:000100000001000002010000"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("differ only in blockIdx.z"));
  EXPECT_THAT(found->hint, HasSubstr("grids of 8 blocks along it instead of 32"));
  EXPECT_GT(*found->speedup_emulated, 1.8);
}

TEST(Lanes, AllOfThemAreCounted) {
  const Advised launch("saxpy/large");
  const std::vector<LaneMean> lanes = lanes_of(launch.study());
  EXPECT_EQ(lanes[0].active, 32);
  EXPECT_EQ(lanes[0].guarded, 32);
}

TEST(Origins, AddressesComeFromTheirPointers) {
  const Advised launch("saxpy/large");
  const read::Kernel& kernel = launch.study().kernel();
  // saxpy(float a, const float* x, float* y, int n): y at offset 16.
  EXPECT_EQ(written_parameters(kernel), (std::set<std::uint32_t>{16}));
  const Origins origins(kernel);
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const read::Instruction& at = kernel.instructions[i];
    if (at.mnemonic() == "LDG") {
      EXPECT_NE(origins.of(i) & Origins::kThreadX, 0);
    } else if (at.mnemonic() == "FFMA") {
      EXPECT_NE(origins.of(i) & Origins::kMemory, 0);
    }
  }
}

}  // namespace
}  // namespace burin::advise
