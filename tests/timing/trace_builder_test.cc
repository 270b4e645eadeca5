// Do traces say what blocks asked of memory and barriers?
#include "timing/trace/trace_builder.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <numeric>

#include "timed_launch.h"
#include "timing/trace/access_passes.h"

namespace burin::timing {
namespace {

// Lane i's address is address(i); lanes of the mask take part.
emulate::Access pattern(unsigned bytes, const std::function<unsigned(unsigned)>& address,
                        emulate::Mask lanes = emulate::kAllLanes) {
  emulate::Access access;
  access.space = read::Space::kShared;
  access.load = true;
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.lanes = lanes;
  for (unsigned i = 0; i < emulate::kWarpLanes; ++i) access.address[i] = address(i);
  return access;
}

TEST(BankPasses, AreTheWordsOfTheFullestBank) {
  struct Row {
    const char* what;
    unsigned bytes;
    std::function<unsigned(unsigned)> address;
    unsigned passes;
    emulate::Mask lanes = emulate::kAllLanes;
  };
  const std::vector<Row> rows{
      {"side by side", 4, [](unsigned i) { return 4 * i; }, 1},
      {"backwards", 4, [](unsigned i) { return 4 * (31 - i); }, 1},
      {"all at one word", 4, [](unsigned) { return 64u; }, 1},
      {"two words, two banks", 4, [](unsigned i) { return 4 * (i % 2); }, 1},
      {"two words, one bank", 4, [](unsigned i) { return 128 * (i % 2); }, 2},
      {"every second word", 4, [](unsigned i) { return 8 * i; }, 2},
      {"every third word", 4, [](unsigned i) { return 12 * i; }, 1},
      {"every fourth word", 4, [](unsigned i) { return 16 * i; }, 4},
      {"a column", 4, [](unsigned i) { return 128 * i; }, 32},
      {"a padded column", 4, [](unsigned i) { return 132 * i; }, 1},
      {"a column of 16 lanes", 4, [](unsigned i) { return 128 * i; }, 16, 0xffff},
      {"one lane", 4, [](unsigned i) { return 128 * i; }, 1, 1u << 9},
      {"bytes side by side", 1, [](unsigned i) { return i; }, 1},
      {"halves side by side", 2, [](unsigned i) { return 2 * i; }, 1},
      {"bytes of a column", 1, [](unsigned i) { return 128 * i; }, 32},
      {"pairs of words", 8, [](unsigned i) { return 8 * i; }, 2},
      {"a column of pairs", 8, [](unsigned i) { return 128 * i; }, 32},
      {"every second pair", 8, [](unsigned i) { return 16 * i; }, 4},
      {"fours of words", 16, [](unsigned i) { return 16 * i; }, 4},
      {"a column of fours", 16, [](unsigned i) { return 128 * i; }, 32},
      // Twice as many lanes at once where neighbours agree.
      {"one pair for all", 8, [](unsigned) { return 64u; }, 1},
      {"each pair twice", 8, [](unsigned i) { return 8 * (i / 2); }, 1},
      {"each four twice", 16, [](unsigned i) { return 16 * (i / 2); }, 2},
      {"no lane", 4, [](unsigned i) { return 4 * i; }, 0, 0},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(bank_passes(pattern(r.bytes, r.address, r.lanes)), r.passes) << r.what;
  }
}

TEST(BankPasses, DoNotCountUnknownAddresses) {
  emulate::Access access = pattern(4, [](unsigned i) { return 128 * i; });
  access.unknown = 0xffff0000;
  EXPECT_EQ(bank_passes(access), 16u);
}

TEST(TraceBuilder, LanesAtUnknownAddressesDoNotCollide) {
  emulate::Access access = pattern(4, [](unsigned i) { return i % 8 * 4; });
  EXPECT_EQ(most_at_one_address(access), 4u);
  access.unknown = access.lanes;
  EXPECT_EQ(most_at_one_address(access), 1u) << "callers subtract the one that needs no turn";
}

// Whatever the lanes ask for, the banks need time for all bytes and at most a pass for each word.
TEST(BankPasses, StayWithinTheirBounds) {
  std::uint32_t random = 1;
  const auto next = [&] { return random = random * 1664525u + 1013904223u, random >> 8; };
  for (int k = 0; k < 300; ++k) {
    const unsigned bytes = 4u << (next() % 3);
    const unsigned range = 1u << (next() % 12);
    const emulate::Access access = pattern(bytes, [&](unsigned) { return next() % range * bytes; });
    const unsigned passes = bank_passes(access);
    EXPECT_GE(passes, 1u);
    EXPECT_LE(passes, emulate::kWarpLanes * bytes / 4);
  }
}

unsigned sectors(const BlockTrace& trace, const Request& request) {
  unsigned sum = 0;
  for (const LineUse& line : trace.lines_of(request)) {
    sum += static_cast<unsigned>(std::popcount(line.sectors()));
  }
  return sum;
}

// The requests of one warp at the instructions with the mnemonic.
std::vector<Request> requests(const TimedLaunch& launch, const BlockTrace& trace, std::size_t warp,
                              std::string_view mnemonic) {
  std::vector<Request> out;
  for (const TraceStep& step : trace.warps[warp]) {
    if (launch.kernel().instructions[step.instruction].mnemonic() != mnemonic) continue;
    EXPECT_NE(step.request, kNoRequest) << mnemonic;
    if (step.request != kNoRequest) out.push_back(trace.requests[step.request]);
  }
  return out;
}

TEST(TraceBuilder, StepsAreWhatEmulationCounts) {
  const TimedLaunch launch("mandelbrot/tiny");
  const std::vector<BlockTrace> traces = launch.traces({0, 1, 2, 3, 4, 5});
  std::vector<double> counts(launch.kernel().instructions.size());
  std::uint64_t steps = 0;
  for (const BlockTrace& t : traces) {
    steps += t.steps;
    for (const auto& warp : t.warps)
      for (const TraceStep& step : warp) ++counts[step.instruction];
  }
  EXPECT_EQ(counts, launch.counts());
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), static_cast<double>(steps));
}

TEST(TraceBuilder, CoalescedRequestsAreOneLine) {
  const TimedLaunch launch("saxpy/tiny");  // blocks of 64, 777 elements
  const std::vector<BlockTrace> traces = launch.traces({0, 12});
  for (const std::size_t warp : {0u, 1u}) {
    const std::vector<Request> loads = requests(launch, traces[0], warp, "LDG");
    ASSERT_EQ(loads.size(), 2u);
    for (const Request& r : loads) {
      EXPECT_TRUE(r.load && !r.store && !r.atomic);
      EXPECT_EQ(r.kind, Request::Kind::kGlobal);
      EXPECT_EQ(r.lines, 1u);
      EXPECT_EQ(sectors(traces[0], r), 4u);
      EXPECT_EQ(r.lanes, 32);
      EXPECT_EQ(r.bytes, 4);
      EXPECT_EQ(r.wavefronts, 1);
    }
  }
  const std::vector<Request> stores = requests(launch, traces[0], 0, "STG");
  ASSERT_EQ(stores.size(), 1u);
  EXPECT_TRUE(stores[0].store && !stores[0].load);
  EXPECT_FALSE(stores[0].partial);
  // 777 = 12 × 64 + 9: the last block has one warp with nine lanes.
  const std::vector<Request> last = requests(launch, traces[1], 0, "STG");
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].lanes, 9);
  EXPECT_EQ(sectors(traces[1], last[0]), 2u);
  EXPECT_TRUE(last[0].partial);
}

TEST(TraceBuilder, SectorsFollowWidthAndStride) {
  const TimedLaunch wide("scale_float4/tiny");
  const BlockTrace four = wide.traces({0})[0];
  bool seen = false;
  for (const Request& r : requests(wide, four, 0, "LDG")) {
    if (r.bytes != 16) continue;
    seen = true;
    EXPECT_EQ(r.lines, 4u);
    EXPECT_EQ(sectors(four, r), 16u);
    EXPECT_EQ(r.wavefronts, 4);
  }
  EXPECT_TRUE(seen);
  // Words of records of 12 bytes: every sector of 384 bytes.
  const TimedLaunch records("unpack_records/odd");
  const BlockTrace three = records.traces({0})[0];
  for (const Request& r : requests(records, three, 0, "LDG")) {
    EXPECT_EQ(r.lines, 3u);
    EXPECT_EQ(sectors(three, r), 12u);
  }
  // A column of the output: each lane its own line.
  const TimedLaunch naive("transpose_naive/large");
  const BlockTrace column = naive.traces({0})[0];
  for (const Request& r : requests(naive, column, 0, "STG")) {
    EXPECT_EQ(r.lines, 32u);
    EXPECT_EQ(sectors(column, r), 32u);
    EXPECT_TRUE(r.partial);
  }
}

TEST(TraceBuilder, AtomicsSayWhetherTheyReturnAndHowManyLanesMeet) {
  const TimedLaunch global("histogram_global/tiny");
  const BlockTrace trace = global.traces({0})[0];
  bool atomic = false;
  for (const Request& r : trace.requests) {
    if (!r.atomic) continue;
    atomic = true;
    EXPECT_FALSE(r.returns) << "a reduction";
    EXPECT_GE(r.collisions, 1);
    EXPECT_LE(r.collisions, r.lanes);
  }
  EXPECT_TRUE(atomic);
}

TEST(TraceBuilder, LocalMemoryCountsFromZeroAndLiesLaneByLane) {
  const TimedLaunch launch("local_sort/tiny");
  const BlockTrace trace = launch.traces({0})[0];
  bool seen = false;
  for (const Request& r : trace.requests) {
    if (r.kind != Request::Kind::kLocal) continue;
    seen = true;
    for (const LineUse& line : trace.lines_of(r)) EXPECT_LT(line.line(), 65536u);
    // One place of all threads is 128 bytes.
    EXPECT_LE(r.lines, r.lanes);
  }
  EXPECT_TRUE(seen);
}

// Each warp that waits for a phase waits for one that comes to an end: all that arrive are counted.
void expect_phases(const BlockTrace& trace) {
  std::vector<std::vector<std::uint32_t>> arrived(trace.arrivals.size());
  for (std::size_t b = 0; b < arrived.size(); ++b) arrived[b].resize(trace.arrivals[b].size());
  for (const auto& warp : trace.warps) {
    for (const TraceStep& step : warp) {
      if (step.request == kNoRequest) continue;
      for (const PhaseUse& use : trace.phases_of(trace.requests[step.request])) {
        ASSERT_LT(use.barrier, trace.arrivals.size());
        ASSERT_LT(use.phase, trace.arrivals[use.barrier].size());
        if (use.arrives) ++arrived[use.barrier][use.phase];
      }
    }
  }
  EXPECT_EQ(arrived, trace.arrivals);
  for (const auto& phases : trace.arrivals)
    for (const std::uint32_t count : phases) EXPECT_GT(count, 0u);
}

TEST(TraceBuilder, ABlocksBarrierHasAnArrivalOfEachWarp) {
  const TimedLaunch launch(
      "barrier.fatbin", "whole_block",
      {.grid = {2}, .block = {64}, .cluster = {}, .arguments = {"buf:512:undef"}});
  for (const BlockTrace& trace : launch.traces({0, 1})) {
    ASSERT_EQ(trace.arrivals.size(), 1u);
    EXPECT_EQ(trace.arrivals[0], std::vector<std::uint32_t>{2});
    expect_phases(trace);
  }
}

TEST(TraceBuilder, NumberedBarriersAreKeptApart) {
  // Two pairs of warps: one meets twice at its barrier, the other eight times at its own.
  const TimedLaunch launch(
      "barrier.fatbin", "pairs",
      {.grid = {1}, .block = {128}, .cluster = {}, .arguments = {"buf:512:undef"}});
  const BlockTrace trace = launch.traces({0})[0];
  ASSERT_EQ(trace.arrivals.size(), 2u);
  std::vector<std::size_t> phases{trace.arrivals[0].size(), trace.arrivals[1].size()};
  std::sort(phases.begin(), phases.end());
  EXPECT_EQ(phases, (std::vector<std::size_t>{2, 8}));
  for (const auto& of : trace.arrivals)
    for (const std::uint32_t count : of) EXPECT_EQ(count, 2u);
  expect_phases(trace);
}

TEST(TraceBuilder, PhasesOfRealKernelsComeToTheirEnd) {
  for (const char* line :
       {"heat_tile/tiny", "producer_consumer/tiny", "paired_warps/tiny", "async_barrier/eight",
        "async_barrier/odd", "bulk_copy/even", "gemm_pipeline/square", "cluster_sum/four"}) {
    SCOPED_TRACE(line);
    const TimedLaunch launch(line);
    const BlockTrace trace = launch.traces({0})[0];
    EXPECT_FALSE(trace.arrivals.empty());
    bool waited = false;
    for (const PhaseUse& use : trace.phases) waited |= use.waits;
    EXPECT_TRUE(waited);
    expect_phases(trace);
  }
}

TEST(TraceBuilder, BlocksThatDidTheSameHaveTheSamePath) {
  const std::vector<BlockTrace> traces = TimedLaunch("saxpy/tiny").traces({0, 5, 12});
  EXPECT_EQ(traces[0].path, traces[1].path);
  EXPECT_NE(traces[0].path, traces[2].path) << "the last one is partial";
  EXPECT_EQ(traces[1].linear, 5u);
  EXPECT_EQ(traces[1].index, (launch::Dims{5, 0, 0}));
}

}  // namespace
}  // namespace burin::timing
