// Is CUDA source read as far as editing it needs, and refused beyond that?
#include "advise/changes/cuda_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/changes/parameters.h"

namespace burin::advise {
namespace {

std::vector<std::string> words(const CudaText& source) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < source.tokens().size(); ++i) all.emplace_back(source.of(i));
  return all;
}

TEST(CudaText, CommentsAndStringsHideWhatTheyHold) {
  const CudaText source(
      "// for (;;)\n"
      "/* while (1) {\n */ const char* s = \"for { \\\" }\"; char c = '{';\n"
      "auto raw = R\"x(for ( \" )x\"; int n = 1'000;\n");
  EXPECT_THAT(words(source),
              testing::ElementsAre("const", "char", "*", "s", "=", "\"for { \\\" }\"", ";", "char",
                                   "c", "=", "'{'", ";", "auto", "raw", "=", "R\"x(for ( \" )x\"",
                                   ";", "int", "n", "=", "1'000", ";"));
  EXPECT_EQ(source.tokens()[0].line, 3u);
  EXPECT_EQ(source.tokens()[12].line, 4u);
}

TEST(CudaText, NumbersKeepTheirExponents) {
  const CudaText source("x = 1.5e-3f + .5 - 0x1p-2 + a.b;");
  EXPECT_THAT(words(source), testing::ElementsAre("x", "=", "1.5e-3f", "+", ".5", "-", "0x1p-2",
                                                  "+", "a", ".", "b", ";"));
}

TEST(CudaText, DirectivesAreOneTokenAndNameMacros) {
  const CudaText source(
      "#define LOOP(n) \\\n  for (int i = 0; i < n; ++i)\n  # pragma unroll\nint x;");
  ASSERT_EQ(source.tokens().size(), 5u);
  EXPECT_EQ(source.tokens()[0].kind, Token::Kind::kDirective);
  EXPECT_EQ(source.of(1), "# pragma unroll");
  EXPECT_EQ(source.tokens()[1].line, 3u);
  EXPECT_TRUE(source.is_macro("LOOP"));
  EXPECT_FALSE(source.is_macro("for"));
}

TEST(CudaText, UnmatchedBracketsHaveNoPartner) {
  const CudaText source("f(a[1], {2}) (]");
  EXPECT_EQ(source.partner(1), 11u - 1);
  EXPECT_EQ(source.of(source.partner(1)), ")");
  EXPECT_EQ(source.partner(source.tokens().size() - 1), CudaText::kNone);
  EXPECT_EQ(source.partner(source.tokens().size() - 2), CudaText::kNone);
}

TEST(CudaText, TextOfAnyKindIsRead) {
  for (const char* text :
       {"", "\n", "\"", "'", "/*", "R\"(", "#", "#define", "1e", "\\", "}", "R\""}) {
    const CudaText source{std::string(text)};
    EXPECT_TRUE(functions_of(source).empty()) << text;
  }
}

TEST(Functions, KernelsAndDeviceFunctionsWithTheirParts) {
  const CudaText source(
      "__device__ float table[4];\n"
      "__global__ void declared(int n);\n"
      "template <int N>\n"
      "__device__ inline float twice(float x) { return N * x; }\n"
      "extern \"C\" __global__ void __launch_bounds__(256, 2)\n"
      "    scale(float* a, int n) {\n"
      "  if (n) { a[0] = 1; }\n"
      "}\n");
  const std::vector<FunctionText> found = functions_of(source);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "twice");
  EXPECT_TRUE(found[0].is_template);
  EXPECT_FALSE(found[0].is_kernel);
  EXPECT_EQ(found[1].name, "scale");
  EXPECT_TRUE(found[1].is_kernel);
  EXPECT_FALSE(found[1].is_template);
  EXPECT_EQ(found[1].first_line, 5u);
  EXPECT_EQ(found[1].last_line, 8u);
}

TEST(Functions, ABodyThatAMacroClosesIsNotRead) {
  EXPECT_TRUE(functions_of(CudaText("__global__ void f(int n) {\n  BEGIN\n")).empty());
}

TEST(Loops, NestedAndOfEveryKind) {
  const CudaText source(
      "__global__ void f(float* a, int n) {\n"
      "  for (int i = 0; i < n; ++i) {\n"
      "    int k = 0;\n"
      "    while (k < 4)\n"
      "      ++k;\n"
      "    do {\n"
      "      a[i] += k;\n"
      "    } while (--k > 0);\n"
      "  }\n"
      "  if (n > 4)\n"
      "    for (int i = 0; i < n; ++i) a[i] = 0;\n"
      "  else\n"
      "    a[0] = 1;\n"
      "}\n");
  const std::vector<LoopText> loops = loops_of(source, functions_of(source)[0]);
  ASSERT_EQ(loops.size(), 4u);
  EXPECT_EQ(loops[0].line, 2u);
  EXPECT_EQ(loops[0].last_line, 9u);
  EXPECT_FALSE(loops[0].innermost);
  EXPECT_EQ(loops[1].line, 4u);
  EXPECT_EQ(loops[1].last_line, 5u);
  EXPECT_EQ(loops[1].parent, 0u);
  EXPECT_EQ(loops[2].line, 6u);
  EXPECT_EQ(loops[2].last_line, 8u);
  EXPECT_EQ(loops[3].line, 11u);
  EXPECT_EQ(loops[3].parent, CudaText::kNone);
  EXPECT_TRUE(loops[3].innermost);
}

TEST(Parameters, PointersAndWhatTheyPointTo) {
  const CudaText source(
      "#define PTR float*\n"
      "__global__ void f(const float* a, float *__restrict__ b, Pair<int, 2>* c, int n, float** "
      "d,\n"
      "                  PTR e) {}\n");
  const std::vector<ParameterText> all = parameters_of(source, functions_of(source)[0]);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].pointee, "float");
  EXPECT_TRUE(all[0].is_const);
  EXPECT_TRUE(all[0].is_plain);
  EXPECT_FALSE(all[1].is_const);
  EXPECT_TRUE(all[1].is_restrict);
  EXPECT_TRUE(all[2].is_plain);
  EXPECT_EQ(all[3].star, CudaText::kNone);
  EXPECT_FALSE(all[4].is_plain);
  EXPECT_FALSE(all[5].is_plain);
}

}  // namespace
}  // namespace burin::advise
