// `burin coarsen` as a user runs it. That results stay the same is shown by executing both kernels,
// which needs NVIDIA's assembler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "app/command.h"
#include "base/temporary_folder.h"
#include "toolchain/tools.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// Written by hand, so that no CUDA compiler is needed for what needs none: sums of rows by a block
// with a tree in shared memory, a guard, and a loop that threads leave at different times.
constexpr const char* kRowSums = R"(.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 tile[256];
.visible .entry row_sums(.param .u64 row_sums_in, .param .u64 row_sums_out, .param .u32 row_sums_n)
{
  .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .pred %p<8>;
  ld.param.u64 %rd1, [row_sums_in];
  ld.param.u64 %rd2, [row_sums_out];
  ld.param.u32 %r1, [row_sums_n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %ctaid.x;
  mul.lo.s32 %r5, %r4, %r1;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r6, %r2;
  setp.ge.s32 %p1, %r6, %r1;
  @%p1 bra SUMMED;
NEXT:
  add.s32 %r7, %r5, %r6;
  mul.wide.s32 %rd3, %r7, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f2, [%rd4];
  add.f32 %f1, %f1, %f2;
  add.s32 %r6, %r6, %r3;
  setp.lt.s32 %p2, %r6, %r1;
  @%p2 bra NEXT;
SUMMED:
  shl.b32 %r8, %r2, 2;
  mov.u32 %r9, tile;
  add.s32 %r10, %r9, %r8;
  st.shared.f32 [%r10], %f1;
  bar.sync 0;
  shr.u32 %r11, %r3, 1;
HALVE:
  setp.ge.u32 %p3, %r2, %r11;
  @%p3 bra WAIT;
  shl.b32 %r12, %r11, 2;
  add.s32 %r13, %r10, %r12;
  ld.shared.f32 %f3, [%r13];
  ld.shared.f32 %f4, [%r10];
  add.f32 %f4, %f4, %f3;
  st.shared.f32 [%r10], %f4;
WAIT:
  bar.sync 0;
  shr.u32 %r11, %r11, 1;
  setp.ne.s32 %p4, %r11, 0;
  @%p4 bra HALVE;
  setp.ne.s32 %p5, %r2, 0;
  @%p5 bra END;
  ld.shared.f32 %f5, [tile];
  mul.wide.u32 %rd5, %r4, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.f32 [%rd6], %f5;
END:
  ret;
}
)";
constexpr const char* kRowSumsLaunch =
    " --grid 7 --block 64 --arg buf:2800:f32 --arg buf:28:undef --arg i32:100";

class CoarsenCommand : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
    std::ofstream(path("sums.ptx")) << kRowSums;
  }
  std::string path(const std::string& name) const { return folder_->path() + "/" + name; }
  Ran coarsen(const std::string& rest) const {
    return burin("coarsen " + path("sums.ptx") + kRowSumsLaunch + " " + rest);
  }
  static bool has_ptxas() { return toolchain::find_tool("ptxas").ok(); }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(CoarsenCommand, GivesTheSameResults) {
  if (!has_ptxas()) GTEST_SKIP() << "no ptxas here";
  for (const char* how :
       {"--coarsen-thread x=2", "--coarsen-thread x=8,stride=1", "--coarsen-thread x=2,stride=32",
        "--coarsen-block x=2", "--coarsen-block x=7", "--coarsen-thread x=4 --coarsen-block x=3"}) {
    const Ran ran = coarsen(std::string(how) + " --check --json");
    ASSERT_EQ(ran.status, 0) << how << ran.err;
    const json made = json::parse(ran.out);
    EXPECT_EQ(made.at("schema"), "burin.coarsen/1");
    EXPECT_TRUE(made.at("check").at("equal")) << how;
    EXPECT_TRUE(made.at("check").at("equal_as_compiled")) << how;
    EXPECT_EQ(made.at("check").at("compared_bytes"), 2828);
    EXPECT_EQ(made.at("predicted_us").size(), 2u);
  }
}

TEST_F(CoarsenCommand, WritesPtxThatRuns) {
  if (!has_ptxas()) GTEST_SKIP() << "no ptxas here";
  const Ran made = coarsen("--coarsen-thread x=4 -o " + path("fat.ptx"));
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("registers"), HasSubstr("predicted"),
                              HasSubstr("written to " + path("fat.ptx"))));
  const std::string arguments = " --arg buf:2800:f32 --arg buf:28:undef --arg i32:100 ";
  const Ran thin = burin("run " + path("sums.ptx") + " --grid 7 --block 64" + arguments +
                         "--nvcc-flag=-fmad=false --out 1=" + path("sums.bin"));
  ASSERT_EQ(thin.status, 0) << thin.err;
  const Ran fat = burin("run " + path("fat.ptx") + " --grid 7 --block 16" + arguments +
                        "--nvcc-flag=-fmad=false --check 1=" + path("sums.bin"));
  EXPECT_EQ(fat.status, 0) << fat.out << fat.err;
}

TEST_F(CoarsenCommand, FlagsReachPtxas) {
  if (!has_ptxas()) GTEST_SKIP() << "no ptxas here";
  const Ran plain = coarsen("--coarsen-thread x=2 --json");
  const Ran careful = coarsen("--coarsen-thread x=2 --json --nvcc-flag=-O1");
  ASSERT_EQ(plain.status, 0) << plain.err;
  ASSERT_EQ(careful.status, 0) << careful.err;
  EXPECT_NE(json::parse(plain.out).at("predicted_us"), json::parse(careful.out).at("predicted_us"));
}

TEST_F(CoarsenCommand, ChoosesByPredictedTime) {
  if (!has_ptxas()) GTEST_SKIP() << "no ptxas here";
  const Ran ran = coarsen("--best --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json made = json::parse(ran.out);
  EXPECT_GE(made.at("candidates").size(), 8u);
  const double before = made.at("predicted_us").at(0);
  const double after = made.at("predicted_us").at(1);
  EXPECT_LE(after, before);  // or it is left as it is
  EXPECT_EQ(made.at("coarsenings").empty(), after == before);
}

TEST_F(CoarsenCommand, OpenclSource) {
  std::ofstream(path("scale.cl")) << "__kernel void scale(__global float* out, int n) {\n"
                                     "  int i = get_global_id(0);\n"
                                     "  if (i < n) out[i] *= 2;\n}\n";
  const Ran ran =
      burin("coarsen " + path("scale.cl") +
            " --kernel scale --grid 10 --block 64 --coarsen-thread x=4 -o " + path("fat.cl"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("16"));
  EXPECT_TRUE(std::filesystem::exists(path("fat.cl")));
}

TEST_F(CoarsenCommand, Refusals) {
  const auto refused = [&](const std::string& command, int status, const std::string& what) {
    const Ran ran = burin("coarsen " + command);
    EXPECT_EQ(ran.status, status) << command << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(what)) << command;
  };
  const std::string sums = path("sums.ptx") + kRowSumsLaunch;
  refused(sums, 2, "say what to coarsen");
  refused(sums + " --coarsen-thread q=2", 2, "--coarsen-thread: expected AXIS=FACTOR");
  refused(sums + " --coarsen-block x=2,stride=4", 2, "--coarsen-block: expected AXIS=FACTOR");
  refused(sums + " --best --coarsen-thread x=2", 2, "--best chooses");
  refused(sums + " --coarsen-thread x=2 --kernel nothing", 3, "nothing");
  refused(path("sums.ptx") + " --grid 7 --block 64 --coarsen-thread x=2 --check", 2, "--arg");
  refused(sums + " --coarsen-thread x=2 -o " + path("sums.ptx"), 2, "is an input");
  refused(path("missing.ptx") + " --grid 1 --block 32 --coarsen-thread x=2", 3, "missing.ptx");
  refused("examples/vector_add.sm_90.cubin --grid 1 --block 32 --coarsen-thread x=2", 3,
          "machine code only");
  std::ofstream(path("broken.ptx")) << ".version 8.0\n.target sm_80\n.address_size 64\n"
                                       ".visible .entry k()\n{\n  add.s32 %r1 %r2;\n}\n";
  refused(path("broken.ptx") + " --grid 1 --block 32 --coarsen-thread x=2", 3, "line 6");
  if (!has_ptxas()) return;
  refused(sums + " --coarsen-thread x=3", 3, "cannot be divided by 3");
  std::string divergent = kRowSums;
  divergent.insert(divergent.find("WAIT:\n"), "  bar.sync 0;\n");
  std::ofstream(path("divergent.ptx")) << divergent;
  refused(path("divergent.ptx") + kRowSumsLaunch + " --coarsen-thread x=2", 3,
          "bar.sync in flow that diverges");
}

TEST_F(CoarsenCommand, ListsWhatItKnows) {
  const Ran ran = burin("coarsen --opcodes");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("bar barrier"), HasSubstr("refused")));
}

}  // namespace
}  // namespace burin::test
