// Are wasted memory accesses recognised for what they are, and left alone where they are not?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "advise/case/requests.h"
#include "advise/patterns/code/access_run.h"
#include "advise/patterns/reductions/accumulator.h"
#include "analyze/code/regions.h"
#include "asked.h"
#include "read/program/source.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;

TEST(Coalescing, AColumnForEachWarpIsFound) {
  const auto found = ask("coalescing", Advised("transpose_naive/large"));
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1.1);
  // A row of 512 floats from lane to lane.
  EXPECT_THAT(found->hint, HasSubstr("2,048 bytes apart"));
  // The tile, its launch for 704 × 512 elements, and which indices are exchanged.
  EXPECT_THAT(found->hint, HasSubstr("__shared__ float tile[32][33]"));
  EXPECT_THAT(found->hint, HasSubstr("dim3(22, 16) with blocks of dim3(32, 8)"));
  EXPECT_THAT(found->hint, HasSubstr("store tile[threadIdx.x][threadIdx.y + j]"));
  EXPECT_THAT(found->hint, HasSubstr("--grid 22,16,1 --block 32,8,1"));
}

// The fastest index of the arrays is y: no access has adjacent lanes along x.
TEST(Coalescing, AxesThatShouldBeExchangedAreNamedWithTheLaunch) {
  const Advised launch("wave_field", "wave_field",
                       {.grid = {64, 128},
                        .block = {32, 8},
                        .arguments = {"buf:8388608:f32", "buf:8388608:f32", "buf:8388608:f32",
                                      "buf:8388608:f32", "i32:2048", "i32:1024", "f32:0.5"}});
  for (const char* rule : {"coalescing", "memory-transaction-reduction"}) {
    const auto found = ask(rule, launch);
    ASSERT_TRUE(found) << rule;
    EXPECT_THAT(found->hint, HasSubstr("write blockIdx.y * blockDim.y + threadIdx.y where"));
    EXPECT_THAT(found->hint, HasSubstr("dim3(32, 256) with blocks of dim3(32, 8)"));
    EXPECT_THAT(found->hint, HasSubstr("--grid 32,256,1 --block 32,8,1"));
  }
}

TEST(Coalescing, AWarpForEachRowFillsTheSms) {
  const Advised launch("row_norms", "row_norms",
                       {.grid = {132},
                        .block = {256},
                        .arguments = {"buf:17301504:f32", "buf:512:f32", "buf:135168:undef",
                                      "buf:135168:undef", "i32:33792", "i32:128"}});
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 2);
}

// Records of 12 bytes, of which each thread uses all: a request has three lines, and L1 has them
// for the next field. To go through shared memory takes as many passes.
TEST(Coalescing, FieldsOfASmallStructureComeFromL1) {
  const Advised launch("unpack_records/large");
  EXPECT_FALSE(ask("coalescing", launch));
  const std::vector<double> shared = Requests(launch.study()).shared_sectors();
  EXPECT_GT(*std::ranges::max_element(shared), 0.9);
  const std::vector<double> alone = Requests(Advised("saxpy/large").study()).shared_sectors();
  EXPECT_LT(*std::ranges::min_element(alone), 0.1);
}

TEST(Coalescing, NeighboursAreLeftAlone) {
  EXPECT_FALSE(ask("coalescing", Advised("saxpy/large")));
  EXPECT_FALSE(ask("coalescing", Advised("transpose_padded/large")));
}

TEST(BankConflicts, ATileReadByColumnsIsFound) {
  const auto found = ask("bank-conflicts", Advised("transpose_shared/large"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("32-way"));
  EXPECT_THAT(found->hint, HasSubstr("Pad each row of the array by one word"));
}

// Executions without an active lane need nothing: "where 0.0 would suffice" helps nobody.
TEST(WastedAccesses, AreCountedPerRequestThatNeedsOne) {
  for (const auto& [rule, launch] : {std::pair("bank-conflicts", "transpose_shared/large"),
                                     {"coalescing", "transpose_naive/large"}}) {
    const Advised advised(launch);
    Case c = advised.launch_case();
    for (AccessCount& count : c.accesses) count.executed *= 1000;
    const auto found = ask(rule, c);
    ASSERT_TRUE(found) << rule;
    EXPECT_THAT(found->text, HasSubstr("where 1.0 would suffice")) << rule;
  }
}

// The padding is of the array that the source declares.
TEST(BankConflicts, PaddingIsThatOfTheDeclaredArray) {
  const Advised transpose("transpose_shared/large");
  Case c = transpose.launch_case();
  const auto hint_with = [&](const std::string& access, const std::string& declared) {
    const auto worst = ask("bank-conflicts", c)->where;
    const std::uint32_t line = analyze::line_of(c.kernel, worst).line;
    Case other = c;
    other.source_line = [=](std::string_view, std::uint32_t at) {
      return at == line ? access : at + 3 == line ? declared : std::string("x = y;");
    };
    return ask("bank-conflicts", other)->hint;
  };
  EXPECT_THAT(hint_with("y = tile[k][j];", "__shared__ float tile[32][32];"),
              HasSubstr("Declare tile[32][33] instead of tile[32][32]"));
  EXPECT_THAT(hint_with("y = tile[k][j];", "__shared__ float tile[kSide][kSide];"),
              HasSubstr("Declare tile[kSide][kSide + 1] instead"));
  EXPECT_THAT(hint_with("y = tile[k * 32 + j];", "__shared__ float tile[1024];"),
              HasSubstr("Let rows begin one word further apart"));
  EXPECT_THAT(hint_with("y = values[a + h];", "__shared__ float values[1024];"),
              HasSubstr("element i is then at i + i / n"));
}

// tests/data/emulate/few_warps.cu.
std::optional<Finding> conflicts(const std::string& kernel, const launch::Dims& block,
                                 const std::vector<std::string>& arguments) {
  const Advised launch("few_warps.fatbin", kernel,
                       {.grid = {1024}, .block = block, .arguments = arguments});
  Case c = launch.launch_case();
  read::SourceText source(BURIN_SOURCE_DIR "/tests/data/emulate");
  c.source_line = [&](std::string_view file, std::uint32_t line) {
    return std::string(source.line(std::string(file), line));
  };
  return ask("bank-conflicts", c);
}

// A free element after every 128 bytes is emulated as such: it spreads runs of 16 words, but not
// the pairs of a sorting network.
TEST(BankConflicts, PaddingIsPromisedWhereItSeparatesTheLanes) {
  const auto runs = conflicts("runs", {256}, {"buf:16M:int:100000", "buf:1M:undef"});
  ASSERT_TRUE(runs);
  EXPECT_GT(runs->speedup, 1.5);
  const auto network = conflicts("network", {256}, {"buf:2M:int:100000"});
  EXPECT_LT(network ? network->speedup : 1, 1.05);
}

// The compiler merges two of the stores into wider ones: rows need the alignment of the pairs only.
TEST(BankConflicts, RowsStayAlignedForTheAccessesThatTheSourceAsksFor) {
  const Advised launch(
      "few_warps.fatbin", "turn_pairs",
      {.grid = {1024}, .block = {16, 16}, .arguments = {"buf:8M:f32", "buf:8M:undef"}});
  Case c = launch.launch_case();
  const auto padding_with = [&](const std::string& source) {
    Case other = c;
    other.source_line = [=](std::string_view, std::uint32_t) { return source; };
    return ask("bank-conflicts", other)->hint;
  };
  EXPECT_THAT(padding_with("tile[y + k][x] = v;"), HasSubstr("odd multiple of 2 words"));
  EXPECT_THAT(padding_with("*(float4*)&tile[y + k][x] = v;"), HasSubstr("odd multiple of 4 words"));
}

TEST(BankConflicts, APaddedTileIsLeftAlone) {
  EXPECT_FALSE(ask("bank-conflicts", Advised("transpose_padded/large")));
  EXPECT_FALSE(ask("bank-conflicts", Advised("saxpy/large")));
}

TEST(VectorAccess, BytesOfAThreadAreFound) {
  const auto found = ask("vector-access", Advised("grey/large"));
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1);
}

TEST(VectorAccess, AThreadTakesFourHalves) {
  const auto found =
      ask("vector-access",
          Advised("gated_residual", "gated_residual",
                  {.grid = {16, 64},
                   .block = {256},
                   .arguments = {"buf:524288:f16", "buf:8192:f16", "buf:524288:f16",
                                 "buf:524288:undef", "i32:64", "i32:4096", "f32:0.7"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("4 adjacent elements at once (ushort4"));
}

TEST(VectorAccess, ALoopThatIsLongEnoughGetsShorterNotTheGrid) {
  const auto found = ask(
      "vector-access",
      Advised("quantize_tokens", "quantize_tokens",
              {.grid = {264},
               .block = {256},
               .arguments = {"buf:2162688:f16", "buf:1056:f32", "buf:8192:f16", "buf:1081344:undef",
                             "buf:1056:undef", "i32:4096", "hex:0000fec20000fe42"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("increase the loop step by that factor"));
}

TEST(MemoryTransactions, ASumInMemoryIsKeptInARegister) {
  const Advised potentials("field_potentials", "field_potentials",
                           {.grid = {132},
                            .block = {256},
                            .arguments = {"buf:270336:f32", "buf:8192:f32", "buf:135168:undef",
                                          "buf:270336:undef", "i32:33792", "i32:16", "f32:0.01"}});
  const Case c = potentials.launch_case();
  const MemoryAccumulators sums(c);
  std::map<std::string_view, int> found;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (sums.accesses[i] != 0) ++found[c.at(i).mnemonic()];
  }
  EXPECT_GT(found["LDG"], 0);
  EXPECT_EQ(found["LDG"], found["STG"]);
  // Nobody adds to a place of its own in a loop of these.
  for (const char* name : {"saxpy/large", "product_f32/large"}) {
    const Advised other(name);
    const Case none = other.launch_case();
    EXPECT_EQ(std::ranges::count(MemoryAccumulators(none).accesses, 1), 0);
  }
}

TEST(MemoryTransactions, WhatWasLoadedJustBeforeIsKept) {
  const auto found =
      ask("memory-transaction-reduction",
          Advised("polygenic_scores", "polygenic_scores",
                  {.grid = {132},
                   .block = {256},
                   .arguments = {"buf:8650752:int:4294967296", "buf:4096:f32", "buf:4096:f32",
                                 "buf:270336:undef", "i32:33792", "i32:1024"}}));
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1.2);
  EXPECT_THAT(found->text, HasSubstr("has just loaded"));
}

// Lanes are 12 bytes apart: no two of a thread's three words can be had at once.
TEST(VectorAccess, RecordsOfThreeWordsAreLeftAlone) {
  EXPECT_FALSE(ask("vector-access", Advised("unpack_records/large")));
  EXPECT_FALSE(ask("vector-access", Advised("scale_float4/large")));
  EXPECT_FALSE(ask("vector-access", Advised("saxpy/large")));
}

TEST(AsyncCopy, ATileThatPassesThroughRegistersIsFound) {
  const auto found = ask("async-copy", Advised("product_f32/large"));
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1);
  EXPECT_THAT(found->hint, HasSubstr("__pipeline_memcpy_async"));
}

TEST(AsyncCopy, WhatIsCopiedSoAlreadyIsLeftAlone) {
  EXPECT_FALSE(ask("async-copy", Advised("product_pipelined/large")));
  EXPECT_FALSE(ask("async-copy", Advised("saxpy/large")));
}

TEST(SharedStaging, ProductsThatReadTheirFactorsAgainAreFound) {
  const auto found = ask("shared-staging", Advised("shape_product/large"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("__shared__"));
}

TEST(SharedStaging, IsNearerThanL1) {
  const auto found = ask("shared-staging",
                         Advised("steer_flock", "steer_flock",
                                 {.grid = {48, 44},
                                  .block = {64},
                                  .arguments = {"buf:2162688:f32", "buf:2162688:undef",
                                                "hex:0000803e0ad7233c0000803f0000003f0ad7a33c"}}));
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1.1);
  EXPECT_LT(found->speedup_paper, 1.6);  // L1 holds most of it
}

// Each block has a matrix of 64 KiB to itself, and L1 does not hold those of all blocks either.
TEST(SharedStaging, WhatDoesNotFitForAllBlocksIsLeftAlone) {
  EXPECT_FALSE(
      ask("shared-staging", Advised("transport_costs", "transport_costs",
                                    {.grid = {1056},
                                     .block = {128},
                                     .arguments = {"buf:69206016:f32", "buf:1081344:f32",
                                                   "buf:1081344:undef", "i32:1056", "i32:2"}})));
}

TEST(SharedStaging, WhatIsReadOnceIsLeftAlone) {
  EXPECT_FALSE(ask("shared-staging", Advised("saxpy/large")));
  EXPECT_FALSE(ask("shared-staging", Advised("product_f32/large")));
}

TEST(Requests, StridesAreSeen) {
  const Advised launch("transpose_naive/large");
  const Requests requests(launch.study());
  const read::Kernel& kernel = launch.study().kernel();
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    if (!touches_global(kernel.instructions[i])) continue;
    const RequestShape& shape = requests.of(i);
    EXPECT_EQ(shape.lanes, 32);
    if (kernel.instructions[i].opcode->stores) {
      EXPECT_EQ(shape.lines, 32);
      EXPECT_EQ(shape.stride, 2048u);
    } else {
      EXPECT_LE(shape.sectors, 5);
    }
  }
}

}  // namespace
}  // namespace burin::advise
