// Do stall counts follow what is left out of a kernel?
#include "timing/code/fixed_latency.h"

#include <gtest/gtest.h>

#include "made_block.h"

namespace burin::timing {
namespace {

// Instructions in a row, one block, that need nothing of one another.
struct Row {
  read::Kernel kernel;
  std::vector<TimedOp> code;

  explicit Row(const std::vector<double>& stalls) {
    kernel.instructions.resize(stalls.size());
    kernel.block_of.resize(stalls.size());
    kernel.blocks.resize(1);
    kernel.blocks[0].last = static_cast<std::uint32_t>(stalls.size() - 1);
    for (const double stall : stalls) {
      code.push_back(plain());
      code.back().stall = stall;
    }
  }
  std::vector<double> followed() {
    follow_latencies(kernel, plain_machine(), code);
    std::vector<double> stalls;
    for (const TimedOp& op : code) stalls.push_back(op.stall);
    return stalls;
  }
};

TEST(FixedLatency, StallsStayWhereNothingIsLeftOut) {
  EXPECT_EQ(Row({5, 2, 13, 1}).followed(), (std::vector<double>{5, 2, 13, 1}));
}

TEST(FixedLatency, NobodyWaitsForWhatIsLeftOut) {
  Row row({5, 2, 1});
  row.code[1].share = 0;
  EXPECT_EQ(row.followed()[0], 1);
}

TEST(FixedLatency, TheLastResultIsThereBehindTheBlock) {
  Row row({2, 13, 5});
  row.code[2].share = 0;  // a branch that waited for a predicate
  row.code[1].latency = 4;
  EXPECT_EQ(row.followed()[0], 2);
  EXPECT_EQ(row.code[1].stall, 4);
}

}  // namespace
}  // namespace burin::timing
