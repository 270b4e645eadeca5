// What is coarsened, what is refused and why, and what the text then holds. That the results are
// the same is tested by executing both (tests/app/coarsen_test.cc and bench/coarsening.py).
#include "coarsen/coarsen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "coarsen/allow_list.h"
#include "read/ptx/parse.h"

namespace burin::coarsen {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string ptx_of(const std::string& body, const std::string& attributes = "") {
  return ".version 9.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 tile[512];\n"
         ".extern .shared .align 16 .b8 pool[];\n"
         ".visible .entry k(.param .u64 k_param_0)" +
         attributes + "\n{\n.reg .b32 %r<20>; .reg .pred %p<9>; .reg .b64 %rd<9>;\n" + body +
         "\nret;\n}\n";
}

const LaunchShape kLaunch{.grid = {6, 4, 1}, .block = {64, 2, 1}, .shared_bytes = 100};

Result<Coarsened> thread_x(const std::string& body, unsigned factor = 2, unsigned stride = 0) {
  return coarsen(ptx_of(body), "k", kLaunch,
                 std::vector<Coarsening>{{Level::kThread, 0, factor, stride}});
}
Result<Coarsened> block_x(const std::string& body, unsigned factor = 2) {
  return coarsen(ptx_of(body), "k", kLaunch,
                 std::vector<Coarsening>{{Level::kBlock, 0, factor, 0}});
}
std::string reason(const Result<Coarsened>& made) {
  return made ? "no error" : made.error().message;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

constexpr const char* kStore = R"(
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;
  mad.lo.s32 %r4, %r3, %r2, %r1;
  mul.lo.s32 %r5, %r3, 7;
  st.global.u32 [%r4], %r5;)";

TEST(Coarsen, UniformWorkIsDoneOnceAndDivergentWorkForEachCopy) {
  const Result<Coarsened> made = thread_x(kStore, 4, 16);
  ASSERT_TRUE(made) << reason(made);
  EXPECT_EQ(made->launch.block[0], 16u);
  EXPECT_EQ(made->launch.grid[0], 6u);
  EXPECT_EQ(count(made->ptx, "mul.lo.s32 %r5"), 1u);
  EXPECT_EQ(count(made->ptx, "mad.lo.s32"), 4u);
  EXPECT_EQ(count(made->ptx, "st.global.u32"), 4u);
  EXPECT_TRUE(read::ptx::parse(made->ptx).ok());
}

TEST(Coarsen, OnlyTheKernelChanges) {
  const std::string before = ptx_of(kStore);
  const Result<Coarsened> made = thread_x(kStore);
  ASSERT_TRUE(made) << reason(made);
  const std::size_t entry = before.find(".visible .entry");
  EXPECT_EQ(made->ptx.substr(0, entry), before.substr(0, entry));
}

TEST(Coarsen, GuardsAreMergedAndFollowedByEachCopy) {
  const Result<Coarsened> made = thread_x(R"(
  mov.u32 %r1, %tid.x;
  setp.ge.s32 %p1, %r1, 50;
  @%p1 bra DONE;
  st.global.u32 [%r1], %r1;
DONE:)");
  ASSERT_TRUE(made) << reason(made);
  EXPECT_THAT(made->ptx, AllOf(HasSubstr("and.pred"), HasSubstr("or.pred")));
  EXPECT_EQ(count(made->ptx, "st.global.u32"), 4u);  // both together, and one after the other
}

// A branch on loaded data is not merged: the lanes of a warp would take three ways instead of two.
TEST(Coarsen, BranchesOnDataAreNotMerged) {
  const Result<Coarsened> made = thread_x(R"(
  mov.u32 %r1, %tid.x;
  ld.global.u32 %r2, [%r1];
  setp.ge.s32 %p1, %r2, 50;
  @%p1 bra DONE;
  st.global.u32 [%r1], %r1;
DONE:)");
  ASSERT_TRUE(made) << reason(made);
  EXPECT_THAT(made->ptx, Not(HasSubstr("and.pred")));
  EXPECT_EQ(count(made->ptx, "st.global.u32"), 2u);
}

// A register that a copy changes in its own region is read there by the next copy.
TEST(Coarsen, ValuesThatARegionChangesAreKeptForTheNextCopy) {
  const Result<Coarsened> made = thread_x(R"(
  mov.u32 %r1, %tid.x; mov.u32 %r2, 5;
  setp.ge.s32 %p1, %r1, 50;
  @%p1 bra DONE;
  add.s32 %r2, %r2, 1;
  st.global.u32 [%r1], %r2;
DONE:)");
  ASSERT_TRUE(made) << reason(made);
  EXPECT_THAT(made->ptx, HasSubstr("%r2_x1"));
}

TEST(Coarsen, AnOperationWritesOneRegisterForEachCopyOrAllOfThem) {
  // %r3 differs between the copies only by the branch; %r2 is the same in both.
  const Result<Coarsened> made = thread_x(R"(
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 5; mov.u32 %r3, 1;
  { .reg .pred p; setp.gt.u32 p, %r3, 7; @p add.u32 %r3, %r3, 1; @!p xor.b32 %r2, %r2, 3; }
  setp.lt.u32 %p1, %r1, 9;
  @%p1 bra END;
  add.u32 %r3, %r3, 2;
END:
  st.global.u32 [%r1], %r3;
  st.global.u32 [%r1+4], %r2;)");
  ASSERT_TRUE(made) << reason(made);
  EXPECT_THAT(made->ptx, AllOf(HasSubstr("@!p xor.b32 %r2, %r2, 3;"),
                               HasSubstr("@!p xor.b32 %r2_x1, %r2_x1, 3;")));
}

TEST(Coarsen, BarriersInUniformFlow) {
  const Result<Coarsened> made = thread_x("mov.u32 %r1, %tid.x;\nbar.sync 0;");
  ASSERT_TRUE(made) << reason(made);
  EXPECT_EQ(count(made->ptx, "bar.sync"), 1u);
  const std::string divergent = R"(
  mov.u32 %r1, %tid.x;
  setp.ge.s32 %p1, %r1, 50;
  @%p1 bra DONE;
  bar.sync 0;
DONE:)";
  EXPECT_THAT(reason(thread_x(divergent)),
              AllOf(HasSubstr("bar.sync in flow that diverges"), HasSubstr("line 12")));
  EXPECT_THAT(reason(block_x(divergent)), HasSubstr("bar.sync in flow that diverges"));
}

// A barrier that all threads of a block reach together, but not those of every block.
TEST(Coarsen, BarriersThatDependOnTheBlock) {
  const Result<Coarsened> made = block_x(R"(
  mov.u32 %r1, %ctaid.x;
  setp.ge.s32 %p1, %r1, 5;
  @%p1 bra DONE;
  bar.sync 0;
DONE:)");
  EXPECT_TRUE(made) << reason(made);
}

TEST(Coarsen, EachBlockHasItsOwnSharedMemory) {
  const Result<Coarsened> made = block_x(R"(
  mov.u32 %r1, tile; mov.u32 %r2, pool;
  st.shared.u32 [%r1], %r2; ld.shared.u32 %r3, [pool+8];)",
                                         4);
  ASSERT_TRUE(made) << reason(made);
  EXPECT_THAT(made->ptx, AllOf(HasSubstr("tile_bx3[512]"), HasSubstr("pool+336")));
  EXPECT_EQ(made->launch.shared_bytes, 4 * 112u);  // 100, aligned to 16, four times
  EXPECT_TRUE(made->specialised_grid);             // 6 blocks by 4
  EXPECT_EQ(made->launch.grid[0], 2u);
  // Threads of one block share it.
  const Result<Coarsened> thread = thread_x("mov.u32 %r1, tile; mov.u32 %r2, %tid.x;");
  ASSERT_TRUE(thread) << reason(thread);
  EXPECT_THAT(thread->ptx, Not(HasSubstr("tile_x1")));
}

TEST(Coarsen, WarpsStayWhole) {
  const std::string exchange =
      "mov.u32 %r1, %tid.x;\nshfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1;\nst.global.u32 [%r1], "
      "%r2;";
  EXPECT_TRUE(thread_x(exchange, 2, 32));
  EXPECT_THAT(reason(thread_x(exchange, 2, 1)), HasSubstr("works on whole warps"));
  EXPECT_THAT(reason(thread_x("mov.u32 %r1, %lanemask_lt;", 2, 1)), HasSubstr("whole warps"));
  EXPECT_TRUE(block_x(exchange));
}

TEST(Coarsen, TheLaneIsANumberWhereNothingIsExchanged) {
  const std::string code = "mov.u32 %r1, %laneid;\nst.global.u32 [%r1], %r1;";
  const Result<Coarsened> torn = thread_x(code, 2, 1);
  ASSERT_TRUE(torn) << reason(torn);
  EXPECT_THAT(torn->ptx, AllOf(HasSubstr("mov.u32 %r1, %lane_x0;"),
                               HasSubstr("mov.u32 %r1_x1, %lane_x1;"), Not(HasSubstr("%laneid"))));
  EXPECT_THAT(thread_x(code, 2, 32).value().ptx, HasSubstr("%laneid"));
}

TEST(Coarsen, BranchesWithinInlineAssembly) {
  const Result<Coarsened> made = thread_x(R"(
  mov.u32 %r1, %tid.x;
  {
  .reg .pred done, %p<2>;
  setp.ne.u32 done, %r1, 0;
  setp.ne.u32 %p1, %r1, 1;
  @done bra SKIP;
  add.u32 %r1, %r1, 1;
  SKIP:
  }
  {
  .reg .pred done;
  setp.ne.u32 done, %r1, 7;
  @done bra SKIP;
  add.u32 %r1, %r1, 2;
  SKIP:
  }
  st.global.u32 [%r1], %r1;)");
  ASSERT_TRUE(made) << reason(made);
  EXPECT_THAT(
      made->ptx,
      AllOf(HasSubstr(".reg .pred %p_asm0_<2>;"), HasSubstr("setp.ne.u32 %p_asm0_1, %r1, 1;"),
            HasSubstr("setp.ne.u32 done_asm1_x1, %r1_x1, 7;"), Not(HasSubstr("bra SKIP"))));
}

TEST(Coarsen, FunctionsThatUseWhatIsACopysOwn) {
  const auto with = [](const std::string& function, Level level) {
    std::string text = ptx_of("call.uni f, ();\nmov.u32 %r1, %tid.x;\nst.global.u32 [%r1], %r1;");
    text.insert(text.find(".visible"),
                ".func f()\n{\n.reg .b32 %r<3>;\n" + function + "\nret;\n}\n");
    return coarsen(text, "k", kLaunch, std::vector<Coarsening>{{level, 0, 2, 0}});
  };
  const Result<Coarsened> index = with("mov.u32 %r1, %tid.x;", Level::kThread);
  ASSERT_TRUE(index) << reason(index);
  EXPECT_THAT(index->ptx, AllOf(HasSubstr(".func f_x0();"), HasSubstr("mov.u32 %r1, %index_x1;"),
                                HasSubstr("call.uni f_x1, ();")));
  // Blocks that become one must not share what each had for itself.
  const Result<Coarsened> shared =
      with("mov.u32 %r1, 5;\nst.shared.u32 [tile+4], %r1;", Level::kBlock);
  ASSERT_TRUE(shared) << reason(shared);
  EXPECT_THAT(shared->ptx, AllOf(HasSubstr("[tile+4]"), HasSubstr("[tile_bx1+4]"),
                                 HasSubstr("call.uni f_bx1, ();")));
  EXPECT_THAT(with("mov.u32 %r1, 5;\nst.shared.u32 [tile+4], %r1;", Level::kThread).value().ptx,
              Not(HasSubstr("f_x1")));
  EXPECT_THAT(reason(with("mov.u32 %r1, %warpid;", Level::kThread)),
              HasSubstr("%warpid in the function f"));
  EXPECT_THAT(reason(with("W: atom.global.exch.b32 %r1, [%r2], 1;\nbra W;", Level::kThread)),
              HasSubstr("may wait for another thread"));
}

TEST(Coarsen, EveryCallOfAnAtomicFunctionIsMadeByEachCopy) {
  const auto with = [](const std::string& function) {
    std::string text = ptx_of("call.uni f, ();\ncall.uni f, ();");
    text.insert(text.find(".visible"),
                ".func f()\n{\n.reg .b32 %r<3>;\n" + function + "\nret;\n}\n");
    return coarsen(text, "k", kLaunch, std::vector<Coarsening>{{Level::kThread, 0, 2, 0}});
  };
  const Result<Coarsened> counts = with("red.shared.add.u32 [tile], 1;");
  ASSERT_TRUE(counts) << reason(counts);
  EXPECT_EQ(count(counts->ptx, "call.uni f"), 4u);
  EXPECT_THAT(reason(with("call.uni f, ();")), HasSubstr("the function f calls itself"));
}

// Otherwise two loops would become one, whose counter ptxas takes for the same in all lanes.
TEST(Coarsen, LoopsAreEnteredAtTheirHeaders) {
  const Result<Coarsened> made =
      coarsen(ptx_of(R"(mov.u32 %r1, %tid.x;
mov.u32 %r2, 0;
OUTER: add.u32 %r2, %r2, 1;
mov.u32 %r3, %r1;
INNER: add.u32 %r3, %r3, 1;
setp.gt.u32 %p1, %r3, 90;
@%p1 bra OUT;
setp.lt.u32 %p2, %r3, 80;
@%p2 bra INNER;
setp.lt.u32 %p3, %r2, 3;
@%p3 bra OUTER;
OUT: st.global.u32 [%r1], %r2;)"),
              "k", kLaunch, std::vector<Coarsening>{{Level::kThread, 0, 2, 0}});
  ASSERT_TRUE(made) << reason(made);
  // For each copy: where it goes on from the branch, the rest of an inner iteration, of an outer
  // one with the inner loop, and the two loops.
  EXPECT_EQ(count(made->ptx, "@%p2 bra $Lcold_x_to"), 4u);
  EXPECT_EQ(count(made->ptx, "@%p2_x1 bra $Lcold_x_to"), 4u);
  // Which copy counts the outer loop, nobody else knows: %p3 needs one name only.
  EXPECT_EQ(count(made->ptx, "@%p3 bra $Lcold_x_to"), 4u);
}

TEST(Coarsen, OneLayoutAfterTheOther) {
  const Result<Coarsened> made =
      coarsen(ptx_of(kStore), "k", kLaunch,
              std::vector<Coarsening>{{Level::kThread, 0, 2, 32}, {Level::kBlock, 1, 2, 0}});
  ASSERT_TRUE(made) << reason(made);
  EXPECT_EQ(made->launch.block[0], 32u);
  EXPECT_EQ(made->launch.grid[1], 2u);
}

TEST(Coarsen, RemaindersAlongBothAxes) {
  const Result<Coarsened> made =
      coarsen(ptx_of(kStore), "k", kLaunch,
              std::vector<Coarsening>{{Level::kBlock, 0, 4, 0}, {Level::kBlock, 1, 3, 0}});
  ASSERT_TRUE(made) << reason(made);
  EXPECT_TRUE(made->specialised_grid);
  EXPECT_EQ(count(made->ptx, ".reg .pred %beyond_x1;"), 1u);
  EXPECT_EQ(count(made->ptx, ".reg .pred %beyond_y1;"), 1u);
}

TEST(Coarsen, BlockSizesOfTheCode) {
  const auto with = [](const std::string& attributes) {
    return coarsen(ptx_of(kStore, attributes), "k", kLaunch,
                   std::vector<Coarsening>{{Level::kThread, 0, 2, 0}});
  };
  EXPECT_THAT(with(" .maxntid 256, 1, 1").value().ptx, HasSubstr(".maxntid 128, 1, 1"));
  EXPECT_THAT(with(" .reqntid 64, 2, 1").value().ptx, HasSubstr(".reqntid 32, 2, 1"));
  EXPECT_THAT(reason(with(" .reqntid 128, 1, 1")), HasSubstr("requires blocks of 128"));
  EXPECT_THAT(reason(with(" .explicitcluster .reqnctapercluster 2, 1, 1")), HasSubstr("cluster"));
}

TEST(Coarsen, RefusalsNameTheLineAndTheReason) {
  const auto refused = [](const std::string& line) {
    return reason(thread_x("mov.u32 %r1, %tid.x;\n" + line));
  };
  EXPECT_THAT(refused("ld.volatile.shared.u32 %r2, [%r1];"),
              AllOf(HasSubstr("line 10"), HasSubstr("volatile access orders threads")));
  EXPECT_THAT(refused("mov.u32 %r2, %smid;"), HasSubstr("%smid"));
  EXPECT_THAT(refused("mov.u32 %r2, %clock;"), HasSubstr("%clock"));
  EXPECT_THAT(refused("bar.sync 0, 64;"), HasSubstr("number of its threads"));
  EXPECT_THAT(refused("bar.arrive 1, 64;"), HasSubstr("counts the threads"));
  EXPECT_THAT(refused("frobnicate.u32 %r2, %r1;"),
              AllOf(HasSubstr("frobnicate.u32"), HasSubstr("not in the table")));
  EXPECT_THAT(refused("add.weird.s32 %r2, %r1, 1;"), HasSubstr(".weird is not in the table"));
  EXPECT_THAT(refused("call.uni printf, (%r1);"), HasSubstr("printf"));
  EXPECT_THAT(refused("cp.async.wait_all;"), HasSubstr("another agent"));
  EXPECT_THAT(reason(thread_x(kStore, 5)), HasSubstr("cannot be divided by 5"));
  EXPECT_THAT(reason(thread_x(kStore, 2, 3)), HasSubstr("stride of 3 does not divide"));
  EXPECT_THAT(reason(coarsen(ptx_of(kStore), "other", kLaunch,
                             std::vector<Coarsening>{{Level::kThread, 0, 2, 0}})),
              HasSubstr("no kernel 'other'"));
}

TEST(Coarsen, LoopsThatWaitAreRefused) {
  const std::string lock = R"(
  mov.u32 %r1, %tid.x;
SPIN:
  atom.global.cas.b32 %r2, [%r9], 0, 1;
  setp.ne.s32 %p1, %r2, 0;
  @%p1 bra SPIN;)";
  EXPECT_THAT(reason(thread_x(lock)), HasSubstr("waits for another thread"));
  // A sum by compare-and-swap tries again with what it found.
  const std::string sum = R"(
  mov.u32 %r1, %tid.x;
  ld.global.u32 %r3, [%r9];
AGAIN:
  add.s32 %r4, %r3, %r1;
  atom.global.cas.b32 %r2, [%r9], %r3, %r4;
  setp.ne.s32 %p1, %r2, %r3;
  mov.u32 %r3, %r2;
  @%p1 bra AGAIN;)";
  EXPECT_TRUE(thread_x(sum)) << reason(thread_x(sum));
  const std::string poll = R"(
  mov.u32 %r1, %tid.x;
POLL:
  membar.gl;
  ld.global.u32 %r2, [%r9];
  setp.eq.s32 %p1, %r2, 0;
  @%p1 bra POLL;)";
  EXPECT_THAT(reason(thread_x(poll)), HasSubstr("waits for another thread"));
}

TEST(Coarsen, EveryRuleIsReachable) {
  for (const OpcodeRule& rule : opcode_rules()) {
    EXPECT_FALSE(rule.opcodes.empty());
    EXPECT_EQ(rule.treatment == Treatment::kRefused, !rule.reason.empty()) << rule.opcodes;
  }
}

}  // namespace
}  // namespace burin::coarsen
