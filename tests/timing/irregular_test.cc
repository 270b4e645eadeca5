// What is seen of addresses that do not follow from the block's index?
#include "timing/trace/irregular.h"

#include <gtest/gtest.h>

namespace burin::timing {
namespace {

using Kind = Strides::Kind;

// A block whose one instruction uses these lines, one request each.
BlockTrace block_of(std::uint64_t number, const std::vector<std::uint64_t>& lines) {
  BlockTrace trace;
  trace.linear = number;
  trace.warps.resize(1);
  for (const std::uint64_t line : lines) {
    Request r;
    r.load = true;
    r.first_line = static_cast<std::uint32_t>(trace.lines.size());
    r.lines = 1;
    trace.lines.emplace_back(line * kLineBytes, 0xf);
    trace.warps[0].push_back({0, 0, static_cast<std::uint32_t>(trace.requests.size())});
    trace.requests.push_back(r);
  }
  return trace;
}

Strides settled(const std::vector<BlockTrace>& traces, launch::Dims grid = {1000, 1, 1}) {
  std::vector<const BlockTrace*> pointers;
  for (const BlockTrace& t : traces) pointers.push_back(&t);
  std::vector<Strides> of(1);
  of[0].kind = Kind::kIrregular;
  of[0].low = 0;
  of[0].high = 10'000 * kLineBytes;
  settle_irregular(grid, pointers, of);
  return of[0];
}

TEST(Irregular, RowsOfUnequalLengthDrift) {
  const Strides s = settled({block_of(500, {5000, 5001, 5002, 5003}), block_of(501, {5010, 5011}),
                             block_of(333, {3330, 3331, 3332}), block_of(200, {2000, 2001})},
                            {100, 10, 1});
  EXPECT_EQ(s.kind, Kind::kDrifting);
  EXPECT_NEAR(static_cast<double>(s.x), 10 * kLineBytes, kLineBytes);
  EXPECT_NEAR(static_cast<double>(s.y), 1000 * kLineBytes, 100 * kLineBytes);
}

TEST(Irregular, ABlockWhoseCopyMovesNothingSaysNothing) {
  BlockTrace nothing;
  nothing.linear = 400;
  nothing.warps.resize(1);
  nothing.warps[0].push_back({0, 0, 0});
  nothing.requests.emplace_back();  // a box outside of its tensor: no lines
  EXPECT_EQ(settled({nothing}).kind, Kind::kIrregular);
  const Strides s =
      settled({block_of(500, {5000}), nothing, block_of(501, {5010}), block_of(333, {3330})});
  EXPECT_EQ(s.kind, Kind::kDrifting);
}

TEST(Irregular, RangesThatOverlapDoNotDrift) {
  const Strides s = settled({block_of(500, {17, 5000, 9100}), block_of(501, {230, 2222, 9999}),
                             block_of(333, {400, 8000}), block_of(200, {1, 3000, 9000})});
  EXPECT_EQ(s.kind, Kind::kIrregular);
  EXPECT_TRUE(s.common.empty());
}

TEST(Irregular, NorDoRangesInNoOrder) {
  const Strides s = settled({block_of(500, {100, 101}), block_of(501, {9000, 9001}),
                             block_of(333, {4000, 4001}), block_of(200, {7000, 7001})});
  EXPECT_EQ(s.kind, Kind::kIrregular);
}

std::vector<std::uint64_t> lines_from(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> lines;
  for (std::uint64_t k = 0; k < count; ++k) lines.push_back(first + k);
  return lines;
}

TEST(Irregular, LongRangesInNoOrderDoNotOverlapInOtherBlocksEither) {
  const Strides s =
      settled({block_of(500, lines_from(100, 200)), block_of(501, lines_from(9000, 256)),
               block_of(333, lines_from(4000, 256)), block_of(200, {7000, 7001})});
  EXPECT_EQ(s.kind, Kind::kDrifting) << "chunks of tensors, whose addresses come from a table";
  EXPECT_EQ(s.x, 256 * std::int64_t{kLineBytes});
  const Strides overlapping =
      settled({block_of(500, lines_from(100, 200)), block_of(501, lines_from(9000, 256)),
               block_of(333, lines_from(250, 256))});
  EXPECT_EQ(overlapping.kind, Kind::kIrregular);
}

TEST(Irregular, WhatMostBlocksUseAllDo) {
  const Strides s = settled({block_of(500, {7, 7, 8, 5000}), block_of(501, {7, 8, 5000}),
                             block_of(333, {7, 900}), block_of(200, {7, 8, 3000, 9000})});
  EXPECT_EQ(s.kind, Kind::kIrregular);
  EXPECT_EQ(s.common, (std::vector<std::uint64_t>{7, 8})) << "5000 is shared by neighbours";
}

TEST(Irregular, ABlockElsewhereKeepsItsDistance) {
  const Strides s = settled({block_of(500, {100}), block_of(501, {9000}), block_of(2, {4000})});
  const BlockStep step{.x = 3};
  EXPECT_EQ(s.elsewhere(100, {}), 100u) << "the block itself";
  const std::uint64_t there = s.elsewhere(100, step);
  EXPECT_NE(there, 100u);
  EXPECT_EQ(s.elsewhere(101, step), (there + 1) % 10'000);
  EXPECT_LT(there, 10'000u);
}

TEST(Irregular, LinesInFrontOfThoseThatWereSeenAreInTheRingToo) {
  const Strides s{.kind = Kind::kIrregular, .low = 100 * kLineBytes, .high = 110 * kLineBytes};
  const BlockStep step{.x = 3};
  EXPECT_EQ(s.elsewhere(99, {}), 109u) << "the last comes before the first";
  EXPECT_EQ(s.elsewhere(89, {}), 109u);
  EXPECT_EQ(s.elsewhere(110, {}), 100u);
  for (std::uint64_t line = 80; line < 130; ++line) {
    const std::uint64_t there = s.elsewhere(line, step);
    EXPECT_GE(there, 100u);
    EXPECT_LT(there, 110u);
    EXPECT_EQ((there - s.elsewhere(100, step) + 10) % 10, (line - 80) % 10) << "in a row";
  }
}

}  // namespace
}  // namespace burin::timing
