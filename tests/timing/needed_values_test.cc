// Is what a kernel does the same when values that nothing hangs on are left out, and are they?
#include "timing/trace/needed_values.h"

#include <gtest/gtest.h>

#include "emulate/execute/session.h"
#include "emulate/run.h"
#include "timed_launch.h"
#include "timing/trace/trace_source.h"

namespace burin::timing {
namespace {

std::vector<std::uint8_t> unneeded_of(const TimedLaunch& launch) {
  const emulate::RunOptions options;
  const Result<std::unique_ptr<emulate::Session>> session =
      emulate::open_session(launch.kernel(), launch.launch(), options);
  if (!session) {
    ADD_FAILURE() << session.error().message;
    return std::vector<std::uint8_t>(launch.kernel().instructions.size());
  }
  const read::Kernel kernel = read::build_from(launch.kernel().instructions, *launch.kernel().image,
                                               *launch.kernel().function);
  return unneeded_values(kernel, (*session)->program->constants, *(*session)->grid.memory);
}

// How many instructions with the mnemonic there are, and how many of them are left out.
struct LeftOut {
  unsigned all = 0;
  unsigned out = 0;
  bool operator==(const LeftOut&) const = default;
};
LeftOut count(const TimedLaunch& launch, std::string_view mnemonic) {
  const std::vector<std::uint8_t> unneeded = unneeded_of(launch);
  LeftOut found;
  for (std::size_t i = 0; i < unneeded.size(); ++i) {
    if (launch.kernel().instructions[i].mnemonic() != mnemonic) continue;
    ++found.all;
    found.out += unneeded[i];
  }
  return found;
}

TEST(NeededValues, WhatIsOnlyStoredIsLeftOut) {
  const TimedLaunch saxpy("saxpy/odd");
  for (const char* mnemonic : {"LDG", "FFMA", "STG"}) {
    const LeftOut found = count(saxpy, mnemonic);
    EXPECT_GT(found.all, 0u) << mnemonic;
    EXPECT_EQ(found.out, found.all) << mnemonic;
  }
  // Whether a thread has an element, and where.
  for (const char* mnemonic : {"ISETP", "S2R", "EXIT", "BRA"}) {
    EXPECT_EQ(count(saxpy, mnemonic).out, 0u) << mnemonic;
  }
}

TEST(NeededValues, AnIndexThatIsLoadedIsNeededAndWhatItLeadsToIsNot) {
  const LeftOut loads = count(TimedLaunch("gather/odd"), "LDG");
  EXPECT_GT(loads.out, 0u);
  EXPECT_LT(loads.out, loads.all);
}

TEST(NeededValues, WhatComesBackFromMemoryToDecideIsNeeded) {
  // What blocks leave for those behind them decides how far these look back.
  const LeftOut flags = count(TimedLaunch("scan_lookback/odd"), "STG");
  EXPECT_LT(flags.out, flags.all);
  // The levels that earlier passes have written decide which neighbours are visited.
  const LeftOut levels = count(TimedLaunch("bfs_level/odd"), "LDG");
  EXPECT_LT(levels.out, levels.all);
}

std::vector<BlockTrace> traces_of(const TimedLaunch& launch, bool all_values) {
  const Result<std::unique_ptr<TraceSource>> source =
      TraceSource::open(launch.kernel(), launch.launch(), {.threads = 1, .all_values = all_values});
  if (!source) {
    ADD_FAILURE() << source.error().message;
    return {};
  }
  const std::uint64_t blocks = launch.launch().grid.total();
  std::vector<std::uint64_t> chosen{0};
  if (blocks > 2) chosen.push_back(blocks / 2);
  if (blocks > 1) chosen.push_back(blocks - 1);
  Result<std::vector<BlockTrace>> traces = (*source)->trace(chosen);
  if (!traces) ADD_FAILURE() << traces.error().message;
  return traces ? std::move(*traces) : std::vector<BlockTrace>{};
}

void expect_same(const BlockTrace& a, const BlockTrace& b) {
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.shared_bytes, b.shared_bytes);
  ASSERT_EQ(a.requests.size(), b.requests.size());
  for (std::size_t k = 0; k < a.requests.size(); ++k) {
    ASSERT_EQ(a.requests[k].first_address, b.requests[k].first_address) << k;
    ASSERT_EQ(a.requests[k].shape, b.requests[k].shape) << k;
    ASSERT_EQ(a.requests[k].wavefronts, b.requests[k].wavefronts) << k;
    ASSERT_EQ(a.requests[k].lanes, b.requests[k].lanes) << k;
    ASSERT_EQ(a.requests[k].lines, b.requests[k].lines) << k;
  }
  for (std::size_t k = 0; k < a.lanes.size(); ++k) {
    EXPECT_EQ(a.lanes[k].guarded, b.lanes[k].guarded) << k;
  }
}

TEST(NeededValues, TracesAreTheSameWithoutTheOthers) {
  for (const char* line : {"gather/odd",
                           "scatter/odd",
                           "transpose_shared/odd",
                           "product_f32/tiny",
                           "lu_batched/tiny",
                           "spmv_vector/odd",
                           "sum_last_block/tiny",
                           "argmax/odd",
                           "scan_rows/tiny",
                           "compact/odd",
                           "histogram_private/tiny",
                           "bitonic/tiny",
                           "radix_scatter/tiny",
                           "merge_path/tiny",
                           "bfs_level/odd",
                           "random_walk/tiny",
                           "nbody_cutoff/tiny",
                           "lennard_jones/tiny",
                           "monte_carlo/tiny",
                           "table_insert/tiny",
                           "divide_64/tiny",
                           "sieve/tiny",
                           "gcd_binary/tiny",
                           "edit_distance/tiny",
                           "tensor_tile/edge",
                           "gemm_pipeline/tiny",
                           "gemm_specialised/tiny",
                           "wgmma_registers/tiny",
                           "stmatrix_epilogue/tiny",
                           "cluster_histogram/two",
                           "ring/two",
                           "async_barrier/odd",
                           "bulk_add/uneven",
                           "bulk_copy/tail",
                           "multicast/tiny"}) {
    SCOPED_TRACE(line);
    const TimedLaunch launch(line);
    const std::vector<BlockTrace> all = traces_of(launch, true);
    const std::vector<BlockTrace> needed = traces_of(launch, false);
    ASSERT_EQ(all.size(), needed.size());
    for (std::size_t k = 0; k < all.size(); ++k) expect_same(all[k], needed[k]);
  }
}

}  // namespace
}  // namespace burin::timing
