// Grids in which few blocks do the work: is the prediction about the whole grid, or about the
// blocks that happened to be looked at?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <ostream>

#include "timed_launch.h"

namespace burin::timing {
namespace {

struct IdleKind {
  std::string name;
  std::string kernel;
  launch::Dims grid;
  std::uint32_t threads = 256;
  std::vector<std::string> arguments{};
  double read_bytes = 0;                       // from DRAM; 0: hardly any
  std::uint32_t dense = 0;                     // active blocks; 0: no launch of them alone is known
  std::vector<std::string> dense_arguments{};  // of a launch of the active blocks alone
  std::vector<std::string> idle_arguments{};   // … of one in which none is active or long
};
void PrintTo(const IdleKind& kind, std::ostream* out) {
  *out << kind.name;
}

constexpr double kChunk = 32 * 256 * 4;  // bytes that an active block reads
const std::string kIn = "buf:64M:f32";
const std::string kOut = "buf:4M:undef";

IdleKind band(const std::string& name, std::uint32_t blocks, int first, int end) {
  const auto arguments = [](int from, int to) {
    return std::vector<std::string>{kIn, kOut, "i32:32", "i32:" + std::to_string(from),
                                    "i32:" + std::to_string(to)};
  };
  const auto active = static_cast<std::uint32_t>(end - first);
  return {.name = name,
          .kernel = "idle_band",
          .grid = {blocks},
          .arguments = arguments(first, end),
          .read_bytes = active * kChunk,
          .dense = active,
          .dense_arguments = arguments(0, static_cast<int>(active)),
          .idle_arguments = arguments(0, 0)};
}

IdleKind strided(const std::string& name, std::uint32_t blocks, std::uint32_t every) {
  const auto arguments = [](std::uint32_t n) {
    return std::vector<std::string>{kIn, kOut, "i32:32", "i32:" + std::to_string(n)};
  };
  return {.name = name,
          .kernel = "idle_strided",
          .grid = {blocks},
          .arguments = arguments(every),
          .read_bytes = blocks / every * kChunk,
          .dense = blocks / every,
          .dense_arguments = arguments(1),
          .idle_arguments = arguments(2'000'000'000)};
}

IdleKind last_along(const std::string& name, launch::Dims grid, int axis) {
  const auto arguments = [&](int rows, int times) {
    return std::vector<std::string>{"buf:128K:f32", "buf:8M:undef", "i32:" + std::to_string(rows),
                                    "i32:" + std::to_string(axis), "i32:" + std::to_string(times)};
  };
  const std::array sizes{grid.x, grid.y, grid.z};
  return {.name = name,
          .kernel = "long_last",
          .grid = grid,
          .threads = 128,
          .arguments = arguments(100, 50),
          .dense = static_cast<std::uint32_t>(grid.total()) / sizes[static_cast<std::size_t>(axis)],
          .dense_arguments = arguments(5000, 1),
          .idle_arguments = arguments(100, 1)};
}

std::vector<IdleKind> idle_kinds() {
  return {
      band("first", 6600, 0, 256),
      band("last", 6600, 6344, 6600),
      band("middle", 6600, 3000, 3256),
      band("large_grid", 100'000, 30'000, 30'256),
      strided("strided", 13'200, 50),
      strided("rare", 50'000, 1000),
      {.name = "flagged",
       .kernel = "idle_flagged",
       .grid = {8192},
       .arguments = {"buf:32768:int:40", "buf:256M:f32", "buf:8M:undef", "i32:32"}},
      {.name = "diagonal",
       .kernel = "idle_diagonal",
       .grid = {160, 160},
       .arguments = {kIn, kOut, "i32:32"},
       .read_bytes = 160 * kChunk},
      {.name = "scattered",
       .kernel = "idle_scattered",
       .grid = {8000},
       .arguments = {"buf:8192000:f32", "i32:300", "i32:40"}},
      last_along("last_x", {64, 16, 2}, 0),
      last_along("last_y", {16, 64, 2}, 1),
      last_along("last_z", {8, 8, 32}, 2),
      {.name = "triangle",
       .kernel = "triangle_tiles",
       .grid = {64, 64},
       .threads = 128,
       .arguments = {"buf:128K:f32", "buf:8M:undef", "i32:8"}},
      {.name = "power_law",
       .kernel = "power_rows",
       .grid = {20'000},
       .threads = 128,
       .arguments = {"buf:80000:f32", "buf:80000:perm", "buf:80M:f32", "buf:80000:zero",
                     "i32:400000"}},
  };
}

TimedLaunch::Shape shape_of(const IdleKind& kind) {
  return {.grid = kind.grid, .block = {kind.threads}, .cluster = {}, .arguments = kind.arguments};
}

class IdleGrid : public testing::TestWithParam<IdleKind> {};

TEST_P(IdleGrid, InstructionsAndTrafficAreThoseOfTheWholeGrid) {
  constexpr double kOff = 0.10;
  const IdleKind& kind = GetParam();
  const TimedLaunch launch("idle", kind.kernel, shape_of(kind));
  const Prediction p = launch.prediction();
  const std::vector<double> counts = launch.counts();
  const double executed = std::reduce(counts.begin(), counts.end());
  EXPECT_NEAR(p.instructions, executed, kOff * executed);
  double sectors = 0;
  double expected = 0;  // at as many sectors an execution as predicted
  for (std::size_t i = 0; i < p.costs.size(); ++i) {
    sectors += p.costs[i].sectors;
    if (p.costs[i].issued > 0) expected += p.costs[i].sectors / p.costs[i].issued * counts[i];
  }
  EXPECT_GT(sectors, 0);
  EXPECT_NEAR(sectors, expected, kOff * expected);
  if (kind.read_bytes == 0) return;
  EXPECT_NEAR(p.dram_read_bytes, kind.read_bytes, kOff * kind.read_bytes);
}

// The time is that of the active or long blocks, plus at most the time that the others take alone.
TEST_P(IdleGrid, TakesTheTimeOfTheActiveBlocksAndOfDispatchingTheOthers) {
  constexpr double kOff = 0.15;
  const IdleKind& kind = GetParam();
  if (kind.dense == 0) GTEST_SKIP() << "no launch of the active blocks alone";
  const auto body = [&](launch::Dims grid, const std::vector<std::string>& arguments) {
    TimedLaunch::Shape shape = shape_of(kind);
    shape.grid = grid;
    shape.arguments = arguments;
    const Prediction p = TimedLaunch("idle", kind.kernel, shape).prediction();
    return p.cycles - p.launch_cycles;
  };
  const double both = body(kind.grid, kind.arguments);
  const double active = body({kind.dense}, kind.dense_arguments);
  const double idle = body(kind.grid, kind.idle_arguments);
  EXPECT_GT(both, (1 - kOff) * std::max(active, idle));
  EXPECT_LT(both, (1 + kOff) * (active + idle));
}

INSTANTIATE_TEST_SUITE_P(Kinds, IdleGrid, testing::ValuesIn(idle_kinds()),
                         [](const auto& kind) { return kind.param.name; });

// Where active blocks wait longer than all idle ones together, their line is the hot one.
// Where active blocks are as many as SMs or fewer, two of them may meet on one SM: they wait for
// memory, and do not hinder each other.
TEST(IdleBlocks, ChangeLittleBesideOneActiveBlockPerSm) {
  const auto time_us = [](const std::string& kernel, std::uint32_t blocks,
                          std::vector<std::string> more) {
    std::vector<std::string> arguments = {kIn, kOut, "i32:32"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const TimedLaunch launch("idle", kernel,
                             {.grid = {blocks}, .block = {256}, .arguments = arguments});
    return launch.prediction().time_us;
  };
  const double alone = time_us("idle_band", 128, {"i32:0", "i32:128"});
  EXPECT_NEAR(time_us("idle_band", 512, {"i32:0", "i32:128"}) / alone, 1, 0.1);
  EXPECT_NEAR(time_us("idle_strided", 512, {"i32:4"}) / alone, 1, 0.1);
}

TEST(IdleBlocks, DoNotHideTheHotLine) {
  for (const IdleKind& kind : {band("first", 6600, 0, 256), band("last", 6600, 6344, 6600),
                               band("middle", 6600, 3000, 3256)}) {
    const TimedLaunch launch("idle", kind.kernel, shape_of(kind));
    const Prediction p = launch.prediction();
    std::size_t hottest = 0;
    double most = 0;
    for (std::size_t i = 0; i < p.costs.size(); ++i) {
      double cycles = p.costs[i].issued;
      for (const launch::StallCycles& stall : p.costs[i].stalls) cycles += stall.sum();
      if (cycles > most) hottest = i, most = cycles;
    }
    EXPECT_NEAR(p.costs[hottest].issued, launch.counts()[hottest], 0.1 * p.costs[hottest].issued);
    EXPECT_LT(launch.counts()[hottest], 0.5 * 8 * 6600) << kind.name << ": of the idle blocks";
  }
}

}  // namespace
}  // namespace burin::timing
