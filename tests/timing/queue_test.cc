// Do clusters that take their work from a queue share it with those that are not executed?
#include <gtest/gtest.h>

#include "timed_launch.h"

namespace burin::timing {
namespace {

constexpr unsigned kClusters = 66;  // as many as an h200 runs at once, one block on each SM

Prediction predict_queue(unsigned tiles, const std::string& counter) {
  const TimedLaunch launch(
      "queue.fatbin", "tile_queue",
      {.grid = {2 * kClusters},
       .block = {128},
       .cluster = launch::Dims{2, 1, 1},
       .arguments = {counter, "buf:4M:undef", "i32:" + std::to_string(tiles), "i32:2000"}});
  return launch.prediction();
}

TEST(TileQueue, TimeGrowsWithTheTilesOfEachCluster) {
  const double one = predict_queue(kClusters, "buf:4:zero").cycles;
  const double two = predict_queue(2 * kClusters, "buf:4:zero").cycles;
  const double six = predict_queue(6 * kClusters, "buf:4:zero").cycles;
  const double tile = two - one;
  EXPECT_GT(tile, 2000.0 * 4) << "of dependent FFMAs";
  EXPECT_NEAR(six - one, 5 * tile, 0.5 * tile) << "not all tiles, nor none";
}

TEST(TileQueue, AnUnknownCounterStartsAtZero) {
  const Prediction known = predict_queue(4 * kClusters, "buf:4:zero");
  const Prediction unknown = predict_queue(4 * kClusters, "buf:4");
  EXPECT_NEAR(unknown.cycles, known.cycles, 0.02 * known.cycles);
}

// Blocks that wait for a copy of each tile that they take.
Prediction predict_copied_tiles(unsigned tiles, const std::string& counter) {
  const TimedLaunch launch("queue.fatbin", "copied_tiles",
                           {.grid = {132},
                            .block = {256},
                            .arguments = {counter, "buf:4M:f32", "buf:4M:undef",
                                          "i32:" + std::to_string(tiles), "i32:2000"}});
  return launch.prediction();
}

TEST(TileQueue, BlocksThatWaitForCopiesTakeTheirShare) {
  const Prediction one = predict_copied_tiles(132, "buf:4:zero");
  EXPECT_TRUE(one.faults.empty());
  for (const unsigned each : {2u, 6u, 12u}) {
    const Prediction more = predict_copied_tiles(132 * each, "buf:4:zero");
    EXPECT_NEAR(more.instructions / one.instructions, each, 0.05 * each);
    EXPECT_GT(more.cycles, 0.7 * each * one.cycles);
    EXPECT_LT(more.cycles, 1.1 * each * one.cycles);
  }
  EXPECT_NEAR(predict_copied_tiles(792, "buf:4").cycles,
              predict_copied_tiles(792, "buf:4:zero").cycles, 1);
}

}  // namespace
}  // namespace burin::timing
