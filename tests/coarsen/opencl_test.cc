// What coarsening makes of OpenCL C, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/file.h"
#include "coarsen/opencl/coarsen_opencl.h"
#include "coarsen/opencl/outline.h"
#include "coarsen/opencl/scan.h"

namespace burin::coarsen {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const OpenclCoarsening kByFour{.thread_factor = {4, 1, 1},
                               .thread_stride = {32, 1, 1},
                               .local_size = {256, 1, 1},
                               .groups = {10, 1, 1}};

// The text after the definitions that every coarsened source begins with.
std::string coarsened(const std::string& source, const std::string& kernel = "f",
                      const OpenclCoarsening& coarsening = kByFour) {
  const Result<CoarsenedOpencl> made = coarsen_opencl(source, kernel, coarsening);
  if (!made) return "refused: " + made.error().message;
  const std::string begin = "#line 1\n";
  return made->text.substr(made->text.find(begin) + begin.size());
}

std::string refusal(const std::string& source, const std::string& kernel = "f",
                    const OpenclCoarsening& coarsening = kByFour) {
  const Result<CoarsenedOpencl> made = coarsen_opencl(source, kernel, coarsening);
  return made ? "coarsened:\n" + made->text : made.error().message;
}

TEST(OpenclCoarsen, TheExampleOfTheHeader) {
  const std::string source =
      "__kernel void scale(__global float* out, int n) {\n"
      "  int i = get_global_id(0);\n"
      "  if (i < n) out[i] *= 2;\n"
      "}\n";
  const Result<CoarsenedOpencl> made = coarsen_opencl(source, "scale", kByFour);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->local_size, ElementsAre(64, 1, 1));
  EXPECT_THAT(made->groups, ElementsAre(10, 1, 1));
  EXPECT_THAT(made->text, HasSubstr("#define get_global_id(d) burin_get_global_id(burin, d)\n"));
  EXPECT_THAT(
      made->text,
      EndsWith("#line 1\n"
               "void burin_body_scale(const __private burin_ids* burin, __global float* out, "
               "int n) {\n"
               "  int i = get_global_id(0);\n"
               "  if (i < n) out[i] *= 2;\n"
               "}\n"
               "__kernel void scale(__global float* out, int n) {\n"
               "  const burin_ids burin_own = burin_own_ids();\n"
               "  burin_ids burin_copy = burin_own;\n"
               "  burin_copy.burin_local_size[0] *= 4;\n"
               "#pragma unroll\n"
               "  for (uint burin_thread_0 = 0; burin_thread_0 < 4; ++burin_thread_0) {\n"
               "    burin_copy.burin_local_id[0] = burin_own.burin_local_id[0] / 32 * 128 + "
               "burin_own.burin_local_id[0] % 32 + burin_thread_0 * 32;\n"
               "    burin_body_scale(&burin_copy, out, n);\n"
               "  }\n"
               "}\n"
               "#line 4\n"
               "\n"));
}

TEST(OpenclCoarsen, SeveralAxesAreNestedAndBlocksBeyondTheEndDoNothing) {
  const OpenclCoarsening both{.thread_factor = {2, 4, 1},
                              .block_factor = {1, 2, 2},
                              .local_size = {16, 8, 1},
                              .groups = {7, 5, 6}};
  const Result<CoarsenedOpencl> made = coarsen_opencl("kernel void f() {}", "f", both);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->local_size, ElementsAre(8, 2, 1));
  EXPECT_THAT(made->groups, ElementsAre(7, 3, 3));
  EXPECT_THAT(made->text,
              HasSubstr("  burin_copy.burin_local_size[0] *= 2;\n"
                        "  burin_copy.burin_local_size[1] *= 4;\n"
                        "  burin_copy.burin_num_groups[1] = 5;\n"
                        "  burin_copy.burin_num_groups[2] = 6;\n"
                        "#pragma unroll\n"
                        "  for (uint burin_block_2 = 0; burin_block_2 < 2; ++burin_block_2) {\n"
                        "    burin_copy.burin_group_id[2] = burin_own.burin_group_id[2] * 2 + "
                        "burin_block_2;\n"
                        "#pragma unroll\n"
                        "    for (uint burin_block_1 = 0; burin_block_1 < 2; ++burin_block_1) {\n"
                        "      burin_copy.burin_group_id[1] = burin_own.burin_group_id[1] * 2 + "
                        "burin_block_1;\n"
                        "      if (burin_copy.burin_group_id[1] >= 5) break;\n"
                        "#pragma unroll\n"
                        "      for (uint burin_thread_1 = 0;"));
}

TEST(OpenclCoarsen, FunctionsThatUseIdsGetThemAndOthersStay) {
  const std::string text = coarsened(
      "float half(float x) { return x / 2; }\n"
      "int me(void);\n"
      "#define HERE me()\n"
      "int me(void) { return get_global_id(0); }\n"
      "int next(int by, int scale) { return me ( ) + by * scale; }\n"
      "__kernel void g(__global float* a) { a[HERE] = 1; }\n"
      "__kernel void h(__global float* a) { a[0] = half(a[0]); }\n"
      "__kernel void f(__global float* a) { a[next(me(), 1)] = half(a[HERE]); }\n");
  EXPECT_THAT(
      text,
      testing::StartsWith(
          "float half(float x) { return x / 2; }\n"
          "int me(const __private burin_ids* burin);\n"
          "#define HERE me(burin)\n"
          "int me(const __private burin_ids* burin) { return get_global_id(0); }\n"
          "int next(const __private burin_ids* burin, int by, int scale) { return me (burin ) "
          "+ by * scale; }\n"
          "__kernel void g(__global float* a) { const burin_ids burin_own = "
          "burin_own_ids(); const __private burin_ids* burin = &burin_own;  a[HERE] = 1; }\n"
          "__kernel void h(__global float* a) { a[0] = half(a[0]); }\n"
          "void burin_body_f(const __private burin_ids* burin, __global float* a) { "
          "a[next(burin, me(burin), 1)] = half(a[HERE]); }\n"
          "__kernel void f(__global float* a) {\n"));
}

TEST(OpenclCoarsen, CommentsStringsAndOtherLinesStayAsWritten) {
  const std::string before =
      "// barrier(1) and __local here\r\n"
      "/* kernel void f() {\n */ constant char text[] = \"barrier(\\\"{\"; // '\n"
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "#define TWO(x) \\\n"
      "  ((x) * \\\n"
      "   2)\n"
      "#if 0\n"
      "don't { barrier(1);\n"
      "#include \"missing.h\"\n"
      "#if 1\n"
      "#endif\n"
      "#endif\n"
      "typedef struct { int barrier_count; } state;\n";
  const std::string kernel = "kernel void f(global int* a) { a[TWO(0)] = '\\''; /* } */ }";
  const std::string text = coarsened(before + kernel);
  EXPECT_THAT(text, testing::StartsWith(before + "void burin_body_f("));
  EXPECT_THAT(text, HasSubstr("{ a[TWO(0)] = '\\''; /* } */ }\nkernel void f(global int* a) {\n"));
  EXPECT_THAT(text, EndsWith("\n#line 15\n"));
}

TEST(OpenclCoarsen, LinesAreThoseOfTheSource) {
  // The head's newlines stay, and a #line of the source counts on.
  const std::string text = coarsened(
      "__kernel\n"
      "void f(\n"
      "    __global int* a)\n"
      "{\n"
      "  a[0] = 1;\n"
      "} int after;\n"
      "#line 100 \"other.cl\"\n"
      "__kernel void g(__global int* a) {\n"
      "}\n");
  EXPECT_THAT(text, testing::StartsWith("\nvoid burin_body_f(const __private burin_ids* burin, \n"
                                        "    __global int* a)\n"
                                        " {\n"
                                        "  a[0] = 1;\n"
                                        "}\n"
                                        "__kernel\n"
                                        "void f(\n"
                                        "    __global int* a) {\n"));
  EXPECT_THAT(text, HasSubstr("#line 6\n int after;\n#line 100"));
  EXPECT_THAT(coarsened("#line 100 \"other.cl\"\n\nkernel void f() {\n}\n"),
              EndsWith("}\n#line 102\n\n"));
  EXPECT_THAT(refusal("int a;\n# 7 \"tile.h\" 2\nkernel void f() {\n  barrier(1); }"),
              HasSubstr("kernel f: tile.h:8: barrier waits"));
}

TEST(OpenclCoarsen, GroupSizesOfAttributesAreRescaled) {
  const auto head = [](const std::string& attributes) {
    const std::string text = coarsened(attributes + " void f(global int* a) { a[0] = 0; }");
    const std::size_t begin = text.find("}\n") + 2;
    return text.starts_with("refused") ? text : text.substr(begin, text.find('{', begin) - begin);
  };
  EXPECT_EQ(head("__kernel __attribute__((reqd_work_group_size(256, 1, 1)))"),
            "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void f(global int* a) ");
  EXPECT_EQ(head("__attribute__((work_group_size_hint(64u,2,1),vec_type_hint(float4))) kernel"),
            "__attribute__((work_group_size_hint(16, 2, 1),vec_type_hint(float4))) kernel "
            "void f(global int* a) ");
  EXPECT_EQ(
      head("#define WIDE (2 * 128)\nkernel __attribute__((reqd_work_group_size(WIDE, 1, 1)))"),
      "kernel __attribute__((reqd_work_group_size((WIDE) / 4, 1, 1))) void f(global int* a) ");
  EXPECT_THAT(
      head("kernel __attribute__((reqd_work_group_size(128, 1, 1)))"),
      HasSubstr("line 1: the kernel requires 128 work-items along x in a work-group, but the "
                "launch has 256"));
  EXPECT_THAT(head("#define SIZE __attribute__((reqd_work_group_size(8, 1, 1)))\nkernel SIZE"),
              HasSubstr("line 2: the macro SIZE hides the size of the work-group; write it out"));
  EXPECT_THAT(head("kernel __attribute__((reqd_work_group_size(256, 1)))"),
              HasSubstr("does not have three sizes"));
  // The function that the kernel becomes has none.
  EXPECT_THAT(coarsened("kernel void f() __attribute__((reqd_work_group_size(256, 1, 1))) { }"),
              testing::StartsWith("void burin_body_f(const __private burin_ids* burin) { }\n"));
}

TEST(OpenclCoarsen, ParametersOfAllForms) {
  EXPECT_THAT(coarsened("kernel void f(__global const float4* restrict a, float b[4], global int "
                        "(*c)[8], read_only image2d_t d, struct pair e __attribute__((nosvm)), "
                        "const __attribute__((aligned(8))) int g) {}"),
              HasSubstr("burin_body_f(&burin_copy, a, b, c, d, e, g);"));
  EXPECT_THAT(coarsened("kernel void f(void) {}"), HasSubstr("burin_body_f(&burin_copy);"));
  EXPECT_THAT(refusal("#define ARGUMENTS global int* a, int n\nkernel void f(ARGUMENTS) {}"),
              HasSubstr("line 2: the name of parameter 1 cannot be seen; write it out"));
  EXPECT_THAT(refusal("kernel void f(global int* a,\n#ifdef N\nint n,\n#endif\nint m) {}"),
              HasSubstr("a directive in front of the kernel's body; move it elsewhere"));
}

TEST(OpenclCoarsen, NamesThatTheSourceHasAreAvoided) {
  const std::string text =
      coarsened("int burin_here; kernel void f(global int* burin2) { burin2[0] = 0; }");
  EXPECT_THAT(text, HasSubstr("void burin3_body_f(const __private burin3_ids* burin3, global"));
  OpenclCoarsening options = kByFour;
  options.options = "-D burin=4";
  EXPECT_THAT(coarsened("kernel void f() { }", "f", options), HasSubstr("void burin2_body_f("));
}

TEST(OpenclCoarsen, AKernelInBothBranchesOfAnIf) {
  const std::string text = coarsened(
      "#ifdef WIDE\n"
      "kernel void f(global int4* a) { a[get_global_id(0)] = 0; }\n"
      "#else\n"
      "kernel void f(global int* a) { a[get_global_id(0)] = 0; }\n"
      "#endif\n");
  EXPECT_THAT(
      text, AllOf(HasSubstr("kernel void f(global int4* a) {\n"),
                  HasSubstr("#line 2\n\n#else\nvoid burin_body_f("),
                  HasSubstr("kernel void f(global int* a) {\n"), EndsWith("#line 4\n\n#endif\n")));
}

TEST(OpenclCoarsen, OlderProgramsMayDefineWhatOpencl2Added) {
  const std::string source =
      "size_t get_global_linear_id() { return get_global_id(0); }\n"
      "kernel void f(global int* a) { a[get_global_linear_id()] = 0; }\n";
  const Result<CoarsenedOpencl> made = coarsen_opencl(source, "f", kByFour);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->text, Not(HasSubstr("#define get_global_linear_id")));
  EXPECT_THAT(made->text, HasSubstr("a[get_global_linear_id(burin)] = 0;"));
  EXPECT_THAT(made->text, HasSubstr("#define get_local_linear_id()"));
}

TEST(OpenclRefuse, WhatWorkItemsDoTogether) {
  struct Case {
    std::string_view source;
    std::string_view message;
  };
  const Case cases[] = {
      {"kernel void f() {\n barrier(CLK_LOCAL_MEM_FENCE); }",
       "kernel f: line 2: barrier waits for the other work-items of the group, but copies of "
       "work-items run one after another"},
      {"kernel void f() { work_group_barrier(1); }", "line 1: work_group_barrier waits"},
      {"kernel void f() { int x = work_group_reduce_add(1); }",
       "work_group_reduce_add needs all work-items of the group at once"},
      {"kernel void f(local int* a) { }", "line 1: local memory is shared by the work-items"},
      {"kernel void f() { __local int a; }", "__local memory is shared"},
      {"kernel void f() { event_t e = async_work_group_copy(a, b, 1, 0); }",
       "async_work_group_copy needs all"},
      {"kernel void f() { sub_group_all(1); }",
       "sub_group_all depends on the sub-group, which has other work-items"},
      {"kernel void f() { uint x = get_sub_group_local_id(); }", "get_sub_group_local_id"},
      {"kernel void f() { asm(\"s_barrier\"); }", "asm goes past the id functions"},
      {"void wait() {\n barrier(1); }\nvoid meet() { wait(); }\nkernel void f() { meet(); }",
       "one after another (used through meet and wait)"},
      {"#define SYNC \\\n barrier(1)\nkernel void f() { SYNC; }",
       "one after another (used through SYNC)"},
      {"typedef local float* tile;\nvoid g(tile t) {}\nkernel void f() { g(0); }",
       "one after another (used through g and tile)"},
      {"struct t { local int* p; };\nkernel void f() { struct t x; }", "(used through t)"},
      {"#define SUM(T) T sum_##T(T x) { barrier(1); return x; }\nSUM(int)\nkernel void f() { }",
       "(used through SUM)"},
      {"kernel void f() {\n#ifdef SLOW\n barrier(1);\n#endif\n}", "line 3: barrier waits"},
      {"kernel void f() { bar\\\nrier(1); }", "line 1: barrier waits"},
  };
  for (const Case& wanted : cases) {
    EXPECT_THAT(refusal(std::string(wanted.source)), HasSubstr(std::string(wanted.message)));
  }
  OpenclCoarsening options = kByFour;
  options.options = "-cl-mad-enable -D 'SYNC=barrier(1)'";
  EXPECT_THAT(refusal("kernel void f() { SYNC; }", "f", options),
              HasSubstr("kernel f: in the build options: barrier waits"));
  // What only other kernels use is their own affair, and so is a variable with such a name.
  EXPECT_THAT(refusal("void wait() { barrier(1); }\nkernel void g(local int* a) { wait(); }\n"
                      "kernel void f(int work_group_count) { int x = work_group_count; }"),
              testing::StartsWith("coarsened"));
}

TEST(OpenclRefuse, TheFourKindsWithLocalMemory) {
  const Result<MappedFile> file =
      MappedFile::open(BURIN_SOURCE_DIR "/corpus/coarsen/opencl/refused.cl");
  ASSERT_TRUE(file) << file.error().message;
  const std::string source(reinterpret_cast<const char*>(file->bytes().data()),
                           file->bytes().size());
  for (const std::string_view expected :
       {"kernel dwt_haar: line 6: __local memory is shared",
        "kernel transpose_tile: line 30: local memory is shared",
        "kernel multiply_coalesced: line 52: __local memory is shared",
        "kernel reduce: line 62: __local memory is shared"}) {
    const std::string kernel(expected.substr(7, expected.find(':') - 7));
    EXPECT_THAT(refusal(source, kernel), HasSubstr(std::string(expected)));
  }
}

TEST(OpenclRefuse, WhatCannotBeSeenWithoutACompiler) {
  EXPECT_EQ(refusal("kernel void g() {}\nKERNEL void h() {}"),
            "there is no kernel f; the source has g");
  EXPECT_EQ(refusal("void f() {}"), "there is no kernel in the source");
  EXPECT_EQ(refusal("\n#include \"tile.h\"\nkernel void f() {}"),
            "line 2: #include: the other file is not read; put its text here");
  EXPECT_EQ(refusal("kernel void f() { ("), "line 1: '(' is never closed");
  EXPECT_EQ(refusal("kernel void f() { } }"), "line 1: '}' closes nothing");
  EXPECT_THAT(refusal("#if A\nkernel void f(int a) {\n#else\nkernel void f() {\n#endif\n}"),
              HasSubstr("line 1: the branch that begins here does not close the brackets"));
  EXPECT_THAT(refusal("kernel void f() {\n constant float w[2] = {1, 2};\n}"),
              HasSubstr("line 2: the constant variable cannot stay inside a kernel that becomes a "
                        "function; move it to file scope"));
  EXPECT_THAT(refusal("#define get_global_id(d) 0\nkernel void f() {}"),
              HasSubstr("the source defines get_global_id itself"));
  EXPECT_THAT(refusal("#undef get_local_id\nkernel void f() {}"),
              HasSubstr("line 1: #undef get_local_id"));
  EXPECT_THAT(refusal("#define HEAD(n) kernel void n(int a)\nHEAD(g) { }\nkernel void f() {}"),
              HasSubstr("line 2: the macro HEAD writes the head of a function; write it out"));
  EXPECT_THAT(
      refusal("#define ME(n) int n() { return get_local_id(0); }\nME(g)\nkernel void f() {}"),
      HasSubstr("line 2: the macro ME makes functions that use ids; write them out"));
  EXPECT_THAT(refusal("int me() { return get_local_id(0); }\n#define WHO me\nkernel void f() {}"),
              HasSubstr("line 2: me is a function that uses ids, but is not called here"));
  OpenclCoarsening options = kByFour;
  options.options = "-DWHO=me()";
  EXPECT_THAT(
      refusal("int me() { return get_local_id(0); }\nkernel void f() { WHO; }", "f", options),
      HasSubstr("the build option -DWHO calls a function that uses ids"));
  // A pointer to constant memory may stay.
  EXPECT_THAT(refusal("constant float w[2] = {1, 2};\n"
                      "kernel void f() { constant float* p = w; float x = *(constant float*)p; }"),
              testing::StartsWith("coarsened"));
}

TEST(OpenclRefuse, KernelsThatCallEachOther) {
  const std::string source =
      "kernel void f(global int* a) { a[get_global_id(0)] = 0; }\n"
      "kernel void g(global int* a) { f(a); }\n";
  EXPECT_THAT(refusal(source), HasSubstr("kernel f is called by g (line 2), which would call the "
                                         "coarsened kernel"));
  EXPECT_THAT(refusal(source, "g"), HasSubstr("kernel g calls kernel f (line 1)"));
  EXPECT_THAT(refusal("#define AGAIN f(a)\nkernel void f(global int* a) { }"),
              HasSubstr("kernel f is named by the macro AGAIN"));
}

TEST(OpenclRefuse, FactorsThatDoNotFit) {
  const auto with = [](OpenclCoarsening coarsening) {
    return refusal("kernel void f() {}", "f", coarsening);
  };
  EXPECT_EQ(with({.thread_factor = {3, 1, 1}, .local_size = {256, 1, 1}}),
            "the thread factor 3 along x does not divide the local size 256");
  EXPECT_EQ(
      with({.thread_factor = {1, 4, 1}, .thread_stride = {1, 32, 1}, .local_size = {8, 64, 1}}),
      "the stride 32 along y does not divide the new local size 16");
  EXPECT_EQ(with({.block_factor = {1, 1, 0}}), "factors and strides begin at 1; along z one is 0");
  EXPECT_EQ(with({.local_size = {1, 0, 1}}), "the launch has no work-items along y");
  EXPECT_EQ(
      with({.thread_factor = {32, 1, 1}, .block_factor = {16, 1, 1}, .local_size = {32, 1, 1}}),
      "more than 256 work-items would become one; choose smaller factors");
}

TEST(OpenclOutline, FunctionsMacrosAndTypes) {
  const Result<OpenclOutline> outline = outline_opencl(
      "#define LANE get_local_id(0)\n"
      "typedef struct pair { int a, b; } pair_t, *pair_p;\n"
      "constant int table[] = {f(1), (int){2}};\n"
      "CHECK(x);\n"
      "static inline float g(int x) __attribute__((noinline));\n"
      "__attribute__((always_inline)) float g(int x) { if (x) { return 1; } return 0; }\n"
      "__kernel void f(__global int* out) { out[LANE] = 0; }\n",
      "-DN=4 -D'AT(i)=in[i]' -D FLAG -I.");
  ASSERT_TRUE(outline) << outline.error().message;
  ASSERT_EQ(outline->functions.size(), 3u);
  EXPECT_EQ(outline->functions[0].name, "g");
  EXPECT_FALSE(outline->functions[0].is_defined);
  EXPECT_TRUE(outline->functions[1].is_defined);
  EXPECT_FALSE(outline->functions[1].is_kernel);
  EXPECT_TRUE(outline->functions[2].is_kernel);
  ASSERT_EQ(outline->macros.size(), 4u);
  EXPECT_EQ(outline->macros[0].name, "N");
  EXPECT_EQ(outline->macros[0].tokens[0].text, "4");
  EXPECT_THAT(outline->macros[1].parameters, ElementsAre("i"));
  EXPECT_EQ(outline->macros[2].name, "FLAG");
  EXPECT_EQ(outline->macros[3].tokens[0].text, "get_local_id");
  EXPECT_THAT(outline->mentioning({"get_local_id"}), ElementsAre("LANE", "f"));
  std::vector<std::string> types;
  for (const OpenclType& type : outline->types) types.push_back(type.name);
  EXPECT_THAT(types, ElementsAre("pair_t", "pair_p", "pair"));
}

}  // namespace
}  // namespace burin::coarsen
