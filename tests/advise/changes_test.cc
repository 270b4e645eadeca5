// Which changes are proposed for a source, how it is edited for them, and what is refused?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/changes/propose.h"
#include "advised.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using Proposer = void (*)(const ProposalInput&, Proposals&);

// A launch of the corpus whose code stands for any: the proposers below look at the text.
const Case& any_case() {
  static const Advised launch("saxpy/large");
  static const Case c = launch.launch_case();
  return c;
}

// All lines are hot. The kernel is the first one.
Proposals proposed(Proposer propose, const std::string& text, const Case& c = any_case()) {
  const CudaText source(text);
  ProposalInput input{.c = c, .source = source, .path = "k.cu", .functions = functions_of(source)};
  for (std::size_t k = 0; k < input.functions.size() && !input.kernel_index; ++k) {
    if (input.functions[k].is_kernel) input.kernel_index = k;
  }
  if (!input.kernel_index) input.no_kernel = "k.cu has no kernel";
  input.line_shares.assign(source.lines() + 1, 0.2);
  Proposals all;
  propose(input, all);
  return all;
}

std::string edited(const std::string& text, const Change& change) {
  return *apply_edits(text, change.edits);
}

TEST(Unroll, APragmaBeforeTheLoopWithItsIndentation) {
  const std::string text =
      "__global__ void f(float* a, int n) {\n  for (int i = 0; i < n; ++i) a[i] = 0;\n}\n";
  const Proposals all = proposed(propose_unrolling, text);
  ASSERT_EQ(all.changes.size(), 5u);
  EXPECT_EQ(all.changes[0].title, "#pragma unroll 4 at k.cu:2");
  EXPECT_EQ(edited(text, all.changes[0]),
            "__global__ void f(float* a, int n) {\n  #pragma unroll 4\n"
            "  for (int i = 0; i < n; ++i) a[i] = 0;\n}\n");
  EXPECT_THAT(all.changes[0].rules, testing::ElementsAre("loop-unrolling"));
  EXPECT_FALSE(combine(all.changes[0], all.changes[1]));
}

TEST(Unroll, AnExistingPragmaIsReplaced) {
  const std::string text =
      "__global__ void f(float* a, int n) {\n  #pragma unroll 1\n  for (;;) a[0] = n;\n}\n";
  const Proposals all = proposed(propose_unrolling, text);
  ASSERT_FALSE(all.changes.empty());
  EXPECT_THAT(edited(text, all.changes[0]), HasSubstr("{\n  #pragma unroll 4\n  for"));
}

TEST(Unroll, LoopsThatDoNotStandAloneAreRefused) {
  const Proposals inside = proposed(
      propose_unrolling, "__global__ void f(float* a, int n) {\n  if (n) for (;;) a[0] = n;\n}\n");
  EXPECT_TRUE(inside.changes.empty());
  ASSERT_EQ(inside.refused.size(), 1u);
  EXPECT_EQ(inside.refused[0].why, "the loop does not begin its line");
  const Proposals two = proposed(propose_unrolling,
                                 "__global__ void f(float* a, int n) {\n"
                                 "  for (;;) { a[0] = n; } for (;;) { a[1] = n; }\n}\n");
  ASSERT_EQ(two.refused.size(), 2u);
  EXPECT_EQ(two.refused[0].why, "several loops are on one line");
}

TEST(Unroll, OtherKernelsOfTheFileAreLeftAlone) {
  const Proposals all = proposed(propose_unrolling,
                                 "__global__ void f(float* a) { a[0] = 1; }\n__global__ void "
                                 "g(float* a) {\n  for (;;) {}\n}\n");
  EXPECT_TRUE(all.changes.empty());
}

TEST(Restrict, OfEveryPointerAndConstWhereNothingIsWritten) {
  // saxpy(float a, const float* x, float* y, int n) writes y.
  const std::string text = "__global__ void saxpy(float a, float* x, float* y, int n) {\n}\n";
  const Proposals all = proposed(propose_restrict, text);
  ASSERT_EQ(all.changes.size(), 1u);
  EXPECT_EQ(
      edited(text, all.changes[0]),
      "__global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, int "
      "n) {\n}\n");
  EXPECT_EQ(all.changes[0].condition, "The buffers must not overlap.");
}

TEST(Restrict, WhatIsNoPlainPointerIsRefused) {
  const Proposals all = proposed(propose_restrict, "__global__ void f(float** rows, int n) {\n}\n");
  EXPECT_TRUE(all.changes.empty());
  ASSERT_EQ(all.refused.size(), 1u);
  EXPECT_EQ(all.refused[0].why, "parameter 1 at k.cu:1 is no plain pointer");
  EXPECT_EQ(proposed(propose_restrict, "int x;").refused[0].why, "k.cu has no kernel");
}

TEST(Intrinsics, OfCudasFunctionsOnly) {
  const std::string text =
      "__device__ float sinf_table(float x) { return x; }\n"
      "__global__ void f(float* a, float b) {\n"
      "  a[0] = expf(b) + my::expf(b) + b.logf(2) + sinf_table(b);\n"
      "  a[1] = 1.0f / sqrtf(b) + 2 * 1.0f / sqrtf(b) + sqrtf(b);  // expf(b)\n"
      "}\n";
  const Proposals all = proposed(propose_intrinsics, text);
  ASSERT_EQ(all.changes.size(), 1u);
  EXPECT_TRUE(all.changes[0].rounds_differently);
  const std::string made = edited(text, all.changes[0]);
  EXPECT_THAT(made, HasSubstr("a[0] = __expf(b) + my::expf(b) + b.logf(2) + sinf_table(b);"));
  EXPECT_THAT(made, HasSubstr("a[1] = rsqrtf(b) + 2 * 1.0f / sqrtf(b) + sqrtf(b);  // expf(b)"));
}

TEST(Padding, TheLastDimensionGrows) {
  static const Advised launch("transpose_naive/odd");
  Case c = launch.launch_case();
  std::string text =
      "__global__ void f(float* a) {\n  __shared__ float t[32][32];\n"
      "  __shared__ float u[kTile][kTile];\n  __shared__ float line[64];\n"
      "  __shared__ float v[2][2], w[2][2];\n}\n";
  EXPECT_TRUE(proposed(propose_padding, text, c).changes.empty());  // no conflicts, no padding
  static const Advised conflicts("transpose_shared/large");
  const Case with = conflicts.launch_case();
  const Proposals all = proposed(propose_padding, text, with);
  ASSERT_EQ(all.changes.size(), 2u);
  EXPECT_THAT(edited(text, all.changes[0]), HasSubstr("float t[32][33];"));
  EXPECT_THAT(edited(text, all.changes[1]), HasSubstr("float u[kTile][kTile + 1];"));
  ASSERT_EQ(all.refused.size(), 1u);
  EXPECT_EQ(all.refused[0].why, "several variables are declared at once");
}

TEST(LaunchBounds, AreAddedOrExtended) {
  Case c = any_case();
  c.block = {256, 1, 1};
  c.needs.threads = 256;
  c.needs.registers = 128;
  c.occupancy = *machine::occupancy(c.machine, c.needs);
  const std::string plain = "__global__ void f(float* a) {\n}\n";
  const Proposals all = proposed(propose_launch_bounds, plain, c);
  ASSERT_FALSE(all.changes.empty());
  EXPECT_EQ(edited(plain, all.changes[0]),
            "__global__ void __launch_bounds__(256, 3) f(float* a) {\n}\n");
  const std::string one = "__global__ void __launch_bounds__(kThreads) f(float* a) {\n}\n";
  EXPECT_THAT(edited(one, proposed(propose_launch_bounds, one, c).changes[0]),
              HasSubstr("__launch_bounds__(kThreads, 3) f"));
  const std::string two = "__global__ void __launch_bounds__(256, 1) f(float* a) {\n}\n";
  EXPECT_THAT(edited(two, proposed(propose_launch_bounds, two, c).changes[0]),
              HasSubstr("__launch_bounds__(256, 3) f"));
}

TEST(LaunchBounds, OfATemplateBecomeAFlag) {
  Case c = any_case();
  c.block = {256, 1, 1};
  c.needs.threads = 256;
  c.needs.registers = 128;
  c.occupancy = *machine::occupancy(c.machine, c.needs);
  const Proposals all =
      proposed(propose_launch_bounds, "template <int N>\n__global__ void f(float* a) {\n}\n", c);
  ASSERT_FALSE(all.changes.empty());
  EXPECT_THAT(all.changes[0].flags, testing::ElementsAre("-maxrregcount=80"));
  ASSERT_EQ(all.refused.size(), 1u);
  EXPECT_THAT(all.refused[0].why, HasSubstr("template"));
}

}  // namespace
}  // namespace burin::advise
