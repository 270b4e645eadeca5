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

}  // namespace
}  // namespace burin::timing
