#include "tune/unroll.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace burin::tune {
namespace {

using testing::HasSubstr;

TEST(Unroll, NamesOfTunables) {
  EXPECT_EQ(unrolled_line("unroll@12"), 12u);
  EXPECT_EQ(unrolled_line("unroll@"), std::nullopt);
  EXPECT_EQ(unrolled_line("unroll"), std::nullopt);
}

TEST(Unroll, APragmaBeforeTheLoop) {
  const std::string source =
      "int f() {\n  // for\n  for (;;) g(\"while\");\n  if (x) while (y) z();\n}\n";
  const Result<std::string> made = with_unrolling(source, "a.cu", {{3, 4}, {4, 1}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(
      *made,
      "#line 1 \"a.cu\"\nint f() {\n  // for\n  \n#pragma unroll 4\n#line 3 \"a.cu\"\n"
      "for (;;) g(\"while\");\n  if (x) \n#pragma unroll 1\n#line 4 \"a.cu\"\nwhile (y) z();\n}\n");
}

TEST(Unroll, ZeroLeavesItToTheCompiler) {
  EXPECT_EQ(*with_unrolling("for (;;);\n", "a.cu", {{1, 0}}), "#line 1 \"a.cu\"\nfor (;;);\n");
}

TEST(Unroll, NoLoopThere) {
  for (const auto& [source, line] :
       {std::pair("for (;;);\n", 2u), std::pair("// for (;;);\n", 1u), std::pair("/* for\n*/", 1u),
        std::pair("do {\n} while (x);\n", 2u), std::pair("fork();\n", 1u),
        std::pair("int a = 1'000; char c = '\"'; // for\n", 1u)}) {
    const Result<std::string> made = with_unrolling(source, "a.cu", {{line, 2}});
    ASSERT_FALSE(made) << source;
    EXPECT_THAT(made.error().message, HasSubstr("no loop starts in line"));
  }
  EXPECT_TRUE(with_unrolling("do {\n} while (x);\n", "a.cu", {{1, 2}}));
  EXPECT_TRUE(with_unrolling("int a = 1'000; char c = '\\''; for (;;);\n", "a.cu", {{1, 2}}));
}

}  // namespace
}  // namespace burin::tune
