// How long is the fullest unit at work, over all blocks that windows stand for?
#include "timing/grid/replayed_window.h"

#include <gtest/gtest.h>

namespace burin::timing {
namespace {

double& busy(ReplayedWindow& window, machine::Resource r) {
  return window.busy[static_cast<std::size_t>(r)];
}

TEST(ReplayedWindow, TheFullestUnitCountsForAllBlocks) {
  std::vector<ReplayedWindow> windows(2);
  windows[0].count = 4;
  windows[0].stands_for = 4;
  busy(windows[0], machine::Resource::kL1) = 100;
  busy(windows[0], machine::Resource::kIssue) = 150;
  windows[1].count = 2;
  windows[1].stands_for = 20;
  busy(windows[1], machine::Resource::kL1) = 80;
  busy(windows[1], machine::Resource::kIssue) = 30;
  EXPECT_DOUBLE_EQ(busiest(windows), 100 + 10 * 80);
  EXPECT_DOUBLE_EQ(busiest({}), 0);
}

// Stores that a unit still works on when the blocks have ended belong to the time.
TEST(ReplayedWindow, AUnitThatIsBusyForLongerDelaysTheSmoothEnd) {
  ReplayedWindow window;
  window.run.end = 1000;
  window.run.weighted = 1000;
  window.run.smooth_end = 900;
  busy(window, machine::Resource::kL2) = 800;
  EXPECT_DOUBLE_EQ(window.smooth_end(), 900);
  busy(window, machine::Resource::kL2) = 2000;
  EXPECT_DOUBLE_EQ(window.smooth_end(), 1800);
}

}  // namespace
}  // namespace burin::timing
