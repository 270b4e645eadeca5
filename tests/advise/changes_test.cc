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

TEST(Restrict, ANameRightAfterTheStarStaysAWord) {
  const std::string text = "__global__ void saxpy(float a, const float *x, float *y, int n) {\n}\n";
  const Proposals all = proposed(propose_restrict, text);
  ASSERT_EQ(all.changes.size(), 1u);
  EXPECT_THAT(edited(text, all.changes[0]), HasSubstr("const float * __restrict__ x, float *"));
}

// A launch with enough blocks for each to do the work of several, with a buffer of 256 ints in the
// place of the second argument.
Case many_blocks() {
  static const Advised launch("histogram_global/tiny");
  Case c = launch.launch_case();
  c.grid = {65536, 1, 1};
  c.block = {256, 1, 1};
  return c;
}

TEST(PrivateSums, OfAnArrayAreKeptInSharedMemory) {
  const std::string text =
      "__global__ void f(const int* a, int* bins, int n) {\n"
      "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "    if (i >= n) return;\n"
      "    atomicAdd(&bins[a[i]], 1);\n"
      "}\n";
  const Case c = many_blocks();
  const Proposals all = proposed(propose_private_sums, text, c);
  ASSERT_EQ(all.changes.size(), 2u);
  const std::string made = edited(text, all.changes[0]);
  EXPECT_THAT(made, HasSubstr("__shared__ int bins_block[256];"));
  EXPECT_THAT(made, HasSubstr("for (unsigned b = blockIdx.x; b < 65536; b += gridDim.x) {"));
  EXPECT_THAT(made, HasSubstr("int i = block_index.x * blockDim.x + threadIdx.x;"));
  EXPECT_THAT(made, HasSubstr("if (i >= n) continue;"));
  EXPECT_THAT(made, HasSubstr("atomicAdd(&bins_block[a[i]], 1);"));
  EXPECT_THAT(made, HasSubstr("atomicAdd(&bins[k], bins_block[k]);"));
  EXPECT_FALSE(all.changes[0].rounds_differently);
  EXPECT_EQ(all.changes[0].grid->x, c.machine.sm.count * 8);
  EXPECT_THAT(edited(text, all.changes[1]), HasSubstr("#pragma unroll 4"));
  // With fewer blocks to compare results on, the loop is over these.
  const GridForm fewer = all.changes[0].for_grid({100, 2, 1});
  EXPECT_EQ(fewer.grid.x, 50u);
  const std::string checked = *apply_edits(text, fewer.edits);
  EXPECT_THAT(checked, HasSubstr("b < 200;"));
  EXPECT_THAT(checked, HasSubstr("const uint3 block_index = {b % 100, b / 100, 0};"));
}

TEST(PrivateSums, ASingleSumIsKeptInARegister) {
  const std::string text =
      "__global__ void f(const int* a, float* sum, int n) {\n"
      "  if (a[blockIdx.x] > n) atomicAdd(sum, 0.5f * n);\n"
      "}\n";
  const Proposals all = proposed(propose_private_sums, text, many_blocks());
  ASSERT_EQ(all.changes.size(), 2u);
  const std::string made = edited(text, all.changes[0]);
  EXPECT_THAT(made, HasSubstr("if (a[block_index.x] > n) sum_thread += ( 0.5f * n);"));
  EXPECT_THAT(made, HasSubstr("__shfl_down_sync(0xffffffff, sum_thread, offset)"));
  EXPECT_TRUE(all.changes[0].rounds_differently);
}

TEST(PrivateSums, AKernelThatLoopsOverTheGridKeepsItsLaunch) {
  const std::string text =
      "__global__ void f(const int* a, int* bins, int n) {\n"
      "  for (int i = blockIdx.x; i < n; i += gridDim.x) atomicAdd(&bins[a[i]], 1);\n"
      "}\n";
  const Proposals all = proposed(propose_private_sums, text, many_blocks());
  ASSERT_EQ(all.changes.size(), 1u);
  EXPECT_FALSE(all.changes[0].of_launch());
  EXPECT_THAT(edited(text, all.changes[0]), HasSubstr("i = blockIdx.x;"));
}

TEST(PrivateSums, WhatWouldChangeTheResultsIsRefused) {
  const auto why = [](const std::string& body) {
    const std::string text = "__global__ void f(const int* a, int* bins, int n) {\n" + body + "}\n";
    const Proposals all = proposed(propose_private_sums, text, many_blocks());
    EXPECT_TRUE(all.changes.empty()) << body;
    return all.refused.empty() ? "" : all.refused[0].why;
  };
  EXPECT_EQ(why("int old = atomicAdd(&bins[0], 1); "), "its result is used");
  EXPECT_EQ(why("atomicAdd(&bins[0], 1); if (bins[1]) n = 2; "), "bins is used elsewhere too");
  EXPECT_EQ(why("for (;;) { if (n) return; atomicAdd(&bins[0], 1); } "),
            "the kernel returns from within a loop");
  EXPECT_EQ(why("if (n) return; __syncthreads(); atomicAdd(&bins[0], 1); "),
            "the kernel has barriers and returns early");
  EXPECT_EQ(why("int* p = bins; atomicAdd(p, 1); "), "p is not a pointer of the kernel");
  EXPECT_EQ(why("n = 1; "), "");  // nothing to do
}

TEST(Axes, AreExchangedInTextAndLaunch) {
  static const Advised launch("transpose_naive/large");
  const Case c = launch.launch_case();
  const std::string text =
      "__global__ void f(float* a, const float* b, int n) {\n"
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
      "threadIdx.y;\n"
      "  a[x * n + y] = b[y * n + x];\n}\n";
  const Proposals all = proposed(propose_axes, text, c);
  ASSERT_EQ(all.changes.size(), 1u);
  EXPECT_THAT(edited(text, all.changes[0]),
              HasSubstr("int x = blockIdx.y * blockDim.y + threadIdx.y, y = blockIdx.x * "
                        "blockDim.x + threadIdx.x;"));
  EXPECT_EQ(*all.changes[0].block, (launch::Dims{c.block.y, c.block.x, 1}));
  EXPECT_EQ(all.changes[0].for_grid({3, 7, 1}).grid, (launch::Dims{7, 3, 1}));
  const Proposals whole = proposed(
      propose_axes, "__global__ void f(float* a) { dim3 t(threadIdx); a[t.x] = t.y; }\n", c);
  ASSERT_EQ(whole.refused.size(), 1u);
  EXPECT_EQ(whole.refused[0].why, "threadIdx is used as a whole");
}

}  // namespace
}  // namespace burin::advise
