// Is it seen where the other blocks' accesses lie?
#include "timing/trace/strides.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "timed_launch.h"
#include "timing/trace/block_rows.h"

namespace burin::timing {
namespace {

using Kind = Strides::Kind;

StrideTable strides_of(const TimedLaunch& launch, const std::vector<std::uint64_t>& blocks) {
  const std::vector<BlockTrace> traces = launch.traces(blocks);
  std::vector<const BlockTrace*> others;
  for (std::size_t k = 1; k < traces.size(); ++k) others.push_back(&traces[k]);
  return find_strides(launch.kernel().instructions.size(), launch.launch().grid, traces.at(0),
                      others);
}

TEST(Neighbours, CountBlocksWithXFastest) {
  EXPECT_EQ(block_index(0, {4, 3, 2}), (launch::Dims{0, 0, 0}));
  EXPECT_EQ(block_index(5, {4, 3, 2}), (launch::Dims{1, 1, 0}));
  EXPECT_EQ(block_index(23, {4, 3, 2}), (launch::Dims{3, 2, 1}));
  const BlockStep step = step_between(15, 21, {.grid = {4, 3, 2}});  // (3,0,1) to (1,2,1)
  EXPECT_EQ(step.x, -2);
  EXPECT_EQ(step.y, 2);
  EXPECT_EQ(step.z, 0);
}

TEST(Neighbours, AStreamMovesByItsBlock) {
  const TimedLaunch launch("saxpy/large");  // blocks of 256
  const StrideTable table = strides_of(launch, {500, 501, 300});
  EXPECT_TRUE(table.alike);
  for (const char* mnemonic : {"LDG", "STG"}) {
    const Strides& s = table.of[launch.find(mnemonic)];
    EXPECT_EQ(s.kind, Kind::kAffine) << mnemonic;
    EXPECT_EQ(s.x, 4 * 256) << mnemonic;
    EXPECT_EQ(s.shift({.x = -3}), -3 * 4 * 256);
  }
}

TEST(Neighbours, ATransposeMovesAlongBothAxes) {
  // 704 wide, 512 high, tiles of 32×32; 22×16 blocks.
  const TimedLaunch launch("transpose_naive/large");
  const auto block = [](std::uint64_t x, std::uint64_t y) { return x + 22 * y; };
  const StrideTable table =
      strides_of(launch, {block(5, 5), block(6, 5), block(5, 6), block(9, 2)});
  EXPECT_TRUE(table.alike);
  const Strides& load = table.of[launch.find("LDG")];
  EXPECT_EQ(load.kind, Kind::kAffine);
  EXPECT_EQ(load.x, 4 * 32);
  EXPECT_EQ(load.y, 4 * 32 * 704);
  const Strides& store = table.of[launch.find("STG")];
  EXPECT_EQ(store.kind, Kind::kAffine);
  EXPECT_EQ(store.x, 4 * 32 * 512);
  EXPECT_EQ(store.y, 4 * 32);
  EXPECT_EQ(load.z, 0);
}

TEST(Neighbours, WhatAllBlocksReadIsAtTheSamePlace) {
  // y = A·x: all rows read x.
  const TimedLaunch launch("matrix_vector/large");
  const StrideTable table = strides_of(launch, {50, 51, 20});
  int same = 0, moving = 0;
  for (std::uint32_t i = 0; i < launch.kernel().instructions.size(); ++i) {
    if (launch.kernel().instructions[i].mnemonic() != "LDG") continue;
    same += table.of[i].kind == Kind::kSame ? 1 : 0;
    moving += table.of[i].kind == Kind::kAffine ? 1 : 0;
    if (table.of[i].kind == Kind::kAffine) {
      EXPECT_EQ(table.of[i].x, 8 * 1024 * 4) << "eight rows of 1024 floats";
    }
  }
  EXPECT_GT(same, 0);
  EXPECT_GT(moving, 0);
}

TEST(Neighbours, AGatherIsIrregularWithinItsBuffer) {
  const TimedLaunch launch("gather/large");
  const StrideTable table = strides_of(launch, {60, 61, 10});
  EXPECT_FALSE(table.alike) << "blocks do not stand for one another";
  int irregular = 0;
  for (std::uint32_t i = 0; i < launch.kernel().instructions.size(); ++i) {
    const Strides& s = table.of[i];
    if (s.kind != Kind::kIrregular) continue;
    ++irregular;
    EXPECT_EQ(launch.kernel().instructions[i].mnemonic(), "LDG");
    EXPECT_LT(s.low, s.high);
    EXPECT_LE(s.high - s.low, 600'004u + 2 * kLineBytes) << "150,001 floats";
    EXPECT_GT(s.high - s.low, 500'000u);
  }
  EXPECT_GT(irregular, 0);
}

// Traces in which each block has one line of each of two instructions, at these addresses.
std::vector<BlockTrace> traces_at(
    const std::vector<std::uint64_t>& blocks,
    const std::function<std::array<std::uint64_t, 2>(std::uint64_t)>& addresses) {
  std::vector<BlockTrace> traces;
  for (const std::uint64_t block : blocks) {
    BlockTrace& trace = traces.emplace_back();
    trace.linear = block;
    trace.warps.resize(1);
    for (std::uint32_t i = 0; i < 2; ++i) {
      Request r;
      r.lanes = 32;
      r.first_line = i;
      r.lines = 1;
      r.first_address = addresses(block)[i];
      trace.lines.emplace_back(r.first_address, 0xf);
      trace.warps[0].push_back({i & 1, 0, i});
      trace.requests.push_back(r);
    }
  }
  return traces;
}

StrideTable strides_of(const std::vector<BlockTrace>& traces, launch::Dims grid) {
  std::vector<const BlockTrace*> others;
  for (std::size_t k = 1; k < traces.size(); ++k) others.push_back(&traces[k]);
  return find_strides(2, grid, traces[0], others);
}

// Blocks of one axis, eight in a row of tiles: rows of A by x / 8, columns of B by x % 8.
TEST(Neighbours, BlocksInALineMayGoOverAPlane) {
  const auto traces = traces_at({32, 33, 21, 12}, [](std::uint64_t block) {
    return std::array<std::uint64_t, 2>{(1 << 20) + block / 8 * 4096, (1 << 24) + block % 8 * 512};
  });
  const StrideTable table = strides_of(traces, {64, 1, 1});
  EXPECT_EQ(table.numbers.grid, (launch::Dims{8, 8, 1}));
  EXPECT_TRUE(table.alike);
  EXPECT_EQ(table.of[0].kind, Kind::kAffine);
  EXPECT_EQ(table.of[0].shift({.x = 3, .y = 2}), 2 * 4096);
  EXPECT_EQ(table.of[1].shift({.x = 3, .y = 2}), 3 * 512);
}

// A tensor's two indices in each axis of the grid: the second look finds both.
TEST(Neighbours, BothAxesMayHaveRows) {
  const launch::Dims grid{48, 32, 1};
  const std::uint64_t reference = 24 + 48 * 16;
  std::vector<std::uint64_t> blocks{reference};
  for (const std::uint64_t block : blocks_in_rows(grid, {24, 16, 0}, 24)) blocks.push_back(block);
  const auto place = [](std::uint64_t block) {
    const std::uint64_t x = block % 48, y = block / 48;
    return std::array<std::uint64_t, 2>{(1 << 20) + x % 6 * 512 + x / 6 * 65536 + y * 131072,
                                        (1 << 28) + y % 4 * 8192 + y / 4 * 256};
  };
  const StrideTable table = strides_of(traces_at(blocks, place), grid);
  EXPECT_EQ(table.numbers, (BlockNumbers{.grid = grid, .row_x = 6, .row_y = 4}));
  EXPECT_EQ(table.exceptions, 0);
  EXPECT_TRUE(table.alike);
  for (const std::uint64_t block : {0u, 47u, 48u * 31u, 777u}) {
    const BlockStep step = step_between(reference, block, table.numbers);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(place(reference)[i] + static_cast<std::uint64_t>(table.of[i].shift(step)),
                place(block)[i])
          << block;
    }
  }
}

// Groups of four rows of tiles, column by column in each: blocks that run together share more.
TEST(Neighbours, ALineOfBlocksMayGoInGroups) {
  const launch::Dims grid{512, 1, 1};
  std::vector<std::uint64_t> blocks{256};
  for (const std::uint64_t block : blocks_in_rows(grid, {256, 0, 0}, 24)) blocks.push_back(block);
  const auto place = [](std::uint64_t block) {  // 16 columns
    const std::uint64_t row = block / 64 * 4 + block % 4, column = block % 64 / 4;
    return std::array<std::uint64_t, 2>{(1 << 20) + row * 4096, (1 << 28) + column * 512};
  };
  const StrideTable table = strides_of(traces_at(blocks, place), grid);
  EXPECT_EQ(table.irregular(), 0u);
  for (const std::uint64_t block : {0u, 3u, 77u, 500u}) {
    const BlockStep step = step_between(256, block, table.numbers);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(place(256)[i] + static_cast<std::uint64_t>(table.of[i].shift(step)),
                place(block)[i])
          << block;
    }
  }
}

TEST(Neighbours, BlocksOnOtherPathsAreNotAlike) {
  EXPECT_FALSE(strides_of(TimedLaunch("saxpy/tiny"), {5, 12}).alike);
  EXPECT_TRUE(strides_of(TimedLaunch("saxpy/tiny"), {5, 6}).alike);
}

TEST(Neighbours, WhatWasNotSeenIsUnseen) {
  const TimedLaunch launch("saxpy/large");
  const StrideTable alone = strides_of(launch, {500});
  EXPECT_TRUE(alone.alike);
  EXPECT_EQ(alone.of[launch.find("LDG")].kind, Kind::kUnseen);
  EXPECT_EQ(alone.of[launch.find("EXIT")].kind, Kind::kUnseen);
}

}  // namespace
}  // namespace burin::timing
