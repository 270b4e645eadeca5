#include "mcp/compiler_flags.h"

#include <gtest/gtest.h>

namespace burin::mcp {
namespace {

TEST(CompilerFlags, ThatOnlyChangeTheCodeAreAllowed) {
  for (const char* flag : {"-DTILE=32", "-UNDEBUG", "-Iinclude/cub", "-O3", "-std=c++20",
                           "-arch=sm_90a", "--maxrregcount=64", "--use_fast_math", "-fmad=false",
                           "-lineinfo", "-Xptxas=-dlcm=cg", "-prec-sqrt=false"}) {
    EXPECT_TRUE(is_harmless_flag(flag)) << flag;
  }
}

TEST(CompilerFlags, ThatWriteFilesOrRunProgramsAreRefused) {
  for (const char* flag :
       {"-o", "-o=x", "--output-file=x", "--keep", "--keep-dir=x", "-ccbin=./sh",
        "--compiler-bindir=./sh", "-Xcompiler=-fplugin=x", "-Xptxas=-o=x", "-Xptxas=-O3,-o=x",
        "@options", "--options-file=x", "-dryrun", "-MF=x", "x.cu", "", "-D", "-I"}) {
    EXPECT_FALSE(is_harmless_flag(flag)) << flag;
  }
}

TEST(CompilerFlags, CannotReachTheShellThatNvccStarts) {
  for (const char* flag : {"-DX=$(touch_x)", "-DX=`id`", "-DX=1;id", "-DX='a", "-DX=a b", "-DX=a|b",
                           "-Iinclude&id", "-DX=a>b", "-DX=\"a\""}) {
    EXPECT_FALSE(is_harmless_flag(flag)) << flag;
  }
}

}  // namespace
}  // namespace burin::mcp
