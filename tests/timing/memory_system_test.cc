// Do requests find in the caches what was left there, by this SM and by the others?
#include "timing/memory/memory_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "timed_launch.h"

namespace burin::timing {
namespace {

constexpr std::uint64_t kBase = 1 << 30;  // address of the buffer that is read

// An instruction whose requests are whole lines, one behind another.
class MemorySystemTest : public testing::Test {
 protected:
  MemorySystemTest() { strides_.of.resize(1); }

  // All SMs ask: `others` besides ours, each block `stride` bytes behind the one before.
  MemorySystem& start(std::size_t others, std::int64_t stride, const MemoryOptions& options = {}) {
    Strides& s = strides_.of[0];
    s.kind = stride == 0 ? Strides::Kind::kSame : Strides::Kind::kAffine;
    s.x = stride;
    others_.clear();
    for (std::size_t k = 1; k <= others; ++k) others_.push_back({.x = static_cast<int>(k)});
    return memory_.emplace(machine_, strides_, options);
  }

  // A load or store of line `number` at `now`.
  const Request& request(std::uint64_t number, bool store = false) {
    trace_.lines = {LineUse(kBase + number * kLineBytes, 0xf)};
    trace_.requests = {Request{}};
    Request& r = trace_.requests[0];
    r.load = !store;
    r.store = store;
    r.lanes = 32;
    r.bytes = 4;
    r.wavefronts = 1;
    r.lines = 1;
    return r;
  }
  // … of one sector of each of these lines.
  MemorySystem::Answer scattered(double now, const std::vector<std::uint64_t>& numbers,
                                 bool store = false) {
    request(0, store);
    trace_.lines.clear();
    for (const std::uint64_t n : numbers) trace_.lines.emplace_back(kBase + n * kLineBytes, 1);
    trace_.requests[0].lines = static_cast<std::uint32_t>(numbers.size());
    return memory_->access(now, {0, trace_, trace_.requests[0], {.others = others_, .own = {}}}, 1);
  }
  MemorySystem::Answer access(double now, std::uint64_t number, bool store = false,
                              double weight = 1) {
    const Request& r = request(number, store);
    return memory_->access(now, {0, trace_, r, {.others = others_, .own = {}}}, weight);
  }
  void skip(std::uint64_t number) {
    memory_->skip({0, trace_, request(number), {.others = others_, .own = {}}});
  }

  machine::Machine machine_ = h200();
  StrideTable strides_;
  std::vector<BlockStep> others_;
  BlockTrace trace_;
  std::optional<MemorySystem> memory_;
};

TEST_F(MemorySystemTest, EachLevelIsFasterThanTheNext) {
  start(0, 0);
  const double from_dram = access(0, 1).done;
  EXPECT_GE(from_dram, 0.8 * machine_.dram.latency);
  const double later = 100'000;
  const double from_l1 = access(later, 1).done - later;
  EXPECT_LT(from_l1, 2 * machine_.l1.latency);
  memory_->restart();  // a new stretch of time: L1 is empty, L2 is as it was
  const double from_l2 = access(0, 1).done;
  EXPECT_GT(from_l2, from_l1);
  EXPECT_LT(from_l2, from_dram);
  const TrafficSum sum = memory_->take_traffic();
  EXPECT_EQ(sum.l1_sectors, 12);
  EXPECT_EQ(sum.l1_hits, 4);
  EXPECT_EQ(sum.l2_sectors, 8);
  EXPECT_EQ(sum.dram_read, kLineBytes);
  EXPECT_EQ(memory_->take_traffic().l1_sectors, 0) << "taken once";
}

TEST_F(MemorySystemTest, LinesOfOneBankOfTagsComeOneByOne) {
  start(0, 0);
  const auto cycles = [&](const std::vector<std::uint64_t>& numbers) {
    scattered(0, numbers);  // into L1
    const MemorySystem::Answer again = scattered(1e6, numbers);
    return again.sent - again.taken;
  };
  EXPECT_NEAR(cycles({0, 1, 2, 3}), 1, 0.1);
  EXPECT_NEAR(cycles({0, 5, 10, 15}), 4, 0.2);
  EXPECT_NEAR(cycles({0, 1, 2, 3, 4, 5, 6, 7}), 2, 0.1);
}

TEST_F(MemorySystemTest, AnswersAreInOrder) {
  start(131, 1 << 20);
  for (std::uint64_t k = 0; k < 400; ++k) {
    const double now = static_cast<double>(k);
    const MemorySystem::Answer a = access(now, k * 37 % 256, k % 3 == 0);
    EXPECT_GE(a.taken, now);
    EXPECT_GE(a.operands, a.taken);
    EXPECT_GE(a.sent, a.taken);
    EXPECT_GE(a.done, a.taken + machine_.l1.latency);
  }
}

// Blocks at addresses of their own read their own bytes; at the same place, one reads for all.
TEST_F(MemorySystemTest, TheOtherSmsReadWhatTheyReadThemselves) {
  constexpr std::uint64_t kLines = 200;
  start(131, 1 << 20);
  for (std::uint64_t k = 0; k < kLines; ++k) access(static_cast<double>(k), k);
  TrafficSum sum = memory_->take_traffic();
  EXPECT_EQ(sum.dram_read, 132.0 * kLines * kLineBytes);
  EXPECT_EQ(sum.all_l2_sectors, 132.0 * kLines * 4);
  start(131, 0);
  for (std::uint64_t k = 0; k < kLines; ++k) access(static_cast<double>(k), k);
  sum = memory_->take_traffic();
  EXPECT_EQ(sum.dram_read, 1.0 * kLines * kLineBytes);
  EXPECT_EQ(sum.all_l2_sectors, 132.0 * kLines * 4);
}

// Neighbours whose blocks overlap find what another has fetched.
TEST_F(MemorySystemTest, BytesThatBlocksShareAreReadOnce) {
  constexpr std::uint64_t kLines = 64;
  start(131, kLines / 2 * kLineBytes);  // half of each is the next one's too
  for (std::uint64_t k = 0; k < kLines; ++k) access(static_cast<double>(k), k);
  EXPECT_EQ(memory_->take_traffic().dram_read, (131.0 * kLines / 2 + kLines) * kLineBytes);
}

TEST_F(MemorySystemTest, ASampleTellsOfTheWhole) {
  constexpr std::uint64_t kLines = 500;
  start(131, 1 << 20, {.l2 = {.sample = 16}});
  for (std::uint64_t k = 0; k < kLines; ++k) access(static_cast<double>(k), k);
  const double all = 132.0 * kLines * kLineBytes;
  EXPECT_NEAR(memory_->take_traffic().dram_read, all, 0.05 * all);
}

TEST_F(MemorySystemTest, AFilledL2IsNotReadFromDram) {
  start(3, 64 * kLineBytes);
  memory_->fill_l2(kBase, 4 * 64 * kLineBytes);
  for (std::uint64_t k = 0; k < 64; ++k) access(static_cast<double>(k), k);
  const TrafficSum sum = memory_->take_traffic();
  EXPECT_EQ(sum.dram_read, 0);
  // A line is in the partition that it belongs to, and half of them are in the other one as well.
  EXPECT_GT(sum.all_l2_hits, 0.7 * sum.all_l2_sectors);
}

TEST_F(MemorySystemTest, WhatEarlierLaunchesUsedIsInL2AsFarAsItFits) {
  constexpr std::uint64_t kBytes = 4 * 64 * kLineBytes;
  const auto read_from_dram = [&](std::uint64_t others, bool written) {
    start(3, 64 * kLineBytes);
    memory_->pass_l2(kBase, kBytes, false);
    memory_->pass_l2(kBase + (std::uint64_t{1} << 30), others, written);
    for (std::uint64_t k = 0; k < 64; ++k) access(static_cast<double>(k), k);
    return memory_->take_traffic().dram_read;
  };
  const auto l2 = static_cast<std::uint64_t>(machine_.l2.size);
  EXPECT_EQ(read_from_dram(l2 / 4, false), 0);
  EXPECT_EQ(read_from_dram(l2 * 5 / 8, true), 0);
  EXPECT_EQ(read_from_dram(l2 * 5 / 8, false), kBytes) << "what is read is in both partitions";
  EXPECT_EQ(read_from_dram(2 * l2, true), kBytes);
}

TEST_F(MemorySystemTest, WhatIsSkippedIsInTheCachesAllTheSame) {
  start(3, 1 << 20);
  skip(7);
  const TrafficSum skipped = memory_->take_traffic();
  EXPECT_EQ(skipped.l1_sectors, 0) << "without counting";
  EXPECT_EQ(skipped.dram_read, 4 * kLineBytes) << "but for what DRAM has read";
  access(0, 7);
  TrafficSum sum = memory_->take_traffic();
  EXPECT_EQ(sum.l1_hits, 4);
  EXPECT_EQ(sum.dram_read, 0);
}

TEST_F(MemorySystemTest, TrafficIsWeighted) {
  start(0, 0);
  access(0, 1, false, 2.5);
  const TrafficSum sum = memory_->take_traffic();
  EXPECT_EQ(sum.l1_sectors, 10);
  EXPECT_EQ(sum.dram_read, kLineBytes) << "as often as it was read";
  std::array<double, machine::kResources> busy{};
  memory_->take_busy(busy);
  EXPECT_GT(busy[static_cast<std::size_t>(machine::Resource::kDram)], 0);
  EXPECT_DOUBLE_EQ(memory_->take_by_instruction()[0].sectors, 10);
}

TEST_F(MemorySystemTest, StoresAreWrittenBackWhenTheirLinesLeave) {
  machine_.l2.size = 1 << 20;
  start(0, 1);
  const std::uint64_t lines = 4 * (1 << 20) / kLineBytes;
  for (std::uint64_t k = 0; k < lines; ++k) access(static_cast<double>(k), k, true);
  const TrafficSum sum = memory_->take_traffic();
  const double written = static_cast<double>(lines) * kLineBytes;
  EXPECT_EQ(sum.dram_read, 0) << "whole sectors are not read";
  EXPECT_NEAR(sum.dram_write, written - machine_.l2.size / 2, 0.05 * written);
  EXPECT_LE(sum.dram_write, written);
}

TEST_F(MemorySystemTest, StoresOfAWarpToALineOnItsWayGoOutOnce) {
  start(0, 1);
  const Requester warp{.others = others_, .own = {}};
  const auto store = [&](double now) {
    memory_->access(now, {0, trace_, request(5, true), warp}, 1);
    return memory_->take_traffic();
  };
  EXPECT_GT(store(0).l2_sectors, 0);
  const TrafficSum again = store(10);
  EXPECT_EQ(again.l2_sectors, 0);
  EXPECT_GT(again.l1_sectors, 0);
  EXPECT_GT(store(10 + 2 * machine_.l1.gathering).l2_sectors, 0) << "long after it has left";
}

// Four bytes of each sector: when it leaves, the others come from DRAM first.
TEST_F(MemorySystemTest, SectorsWrittenInPartAreReadWhenTheyLeave) {
  machine_.l2.size = 1 << 20;
  const std::uint64_t lines = 4 * (1 << 20) / kLineBytes;
  for (const unsigned times : {1u, 8u}) {
    start(0, 1);
    for (std::uint64_t k = 0; k < lines * times; ++k) {
      request(k / times, true);
      Request& r = trace_.requests[0];
      r.lanes = 4;
      r.partial = true;
      memory_->access(static_cast<double>(k), {0, trace_, r, {.others = {}, .own = {}}}, 1);
    }
    const TrafficSum sum = memory_->take_traffic();
    EXPECT_GT(sum.dram_write, 0);
    EXPECT_EQ(sum.dram_read, times == 1 ? sum.dram_write : 0) << "eight times four are all";
  }
}

// Each SM has its own, though its addresses are the same.
TEST_F(MemorySystemTest, LocalMemoryIsNotShared) {
  start(131, 0);
  for (std::uint64_t k = 0; k < 10; ++k) {
    Request r = request(0);
    trace_.lines = {LineUse(k * kLineBytes, 0xf)};
    r.kind = Request::Kind::kLocal;
    const Requester requester{.others = others_, .own = {}, .local_base = kLocalLines};
    memory_->access(static_cast<double>(k), {0, trace_, r, requester}, 1);
  }
  EXPECT_EQ(memory_->take_traffic().dram_read, 132.0 * 10 * kLineBytes);
}

// What is kept of numbered blocks is what would be found for them anew: wherever their lines lie,
// and in part of the lines too.
TEST_F(MemorySystemTest, NumberedBlocksFindTheSame) {
  for (const auto kind :
       {Strides::Kind::kAffine, Strides::Kind::kDrifting, Strides::Kind::kIrregular}) {
    std::vector<double> read;
    for (const bool numbered : {false, true}) {
      start(131, 96, {.l2 = {.sample = 2}});
      strides_.of[0].kind = kind;
      strides_.of[0].low = kBase + 64 * kLineBytes;  // some lines lie before it
      strides_.of[0].high = kBase + 1024 * kLineBytes;
      for (std::uint64_t k = 0; k < 600; ++k) {
        const std::uint64_t block = k % 3;
        const Requester requester{.others = std::span(others_).subspan(block),
                                  .others_id = numbered ? block + 1 : 0,
                                  .own = {}};
        memory_->access(static_cast<double>(k), {0, trace_, request(k), requester}, 1);
        read.push_back(memory_->take_traffic().dram_read);
      }
    }
    const std::vector<double> anew(read.begin(), read.begin() + 600);
    EXPECT_EQ(std::vector<double>(read.begin() + 600, read.end()), anew);
  }
}

TEST_F(MemorySystemTest, AGivenHitRateIsKept) {
  for (const double rate : {0.0, 0.25, 1.0}) {
    start(3, 1 << 20, {.l2 = {.l2_hit = rate}});
    for (std::uint64_t k = 0; k < 100; ++k) access(static_cast<double>(k), k);
    const TrafficSum sum = memory_->take_traffic();
    EXPECT_NEAR(sum.all_l2_hits / sum.all_l2_sectors, rate, 1e-9);
    EXPECT_NEAR(sum.l2_hits / sum.l2_sectors, rate, 0.011);
    EXPECT_NEAR(sum.dram_read, 4 * 100 * (1 - rate) * kLineBytes, 1e-6);
  }
}

// Rows of DRAM answer sooner or later than others: on average as the machine says, and a request
// for several waits for the slowest of them.
TEST_F(MemorySystemTest, ARequestWaitsForTheSlowestRow) {
  start(0, 0);
  constexpr std::uint64_t kRow = 8;  // lines
  double of_one = 0, of_two = 0;
  constexpr int kTimes = 2000;
  for (int k = 0; k < kTimes; ++k) {
    const double now = 1e5 * k;
    const std::uint64_t line = 4 * kRow * static_cast<std::uint64_t>(k);
    of_one += scattered(now, {line}).done - now;
    of_two += scattered(now + 5e4, {line + kRow, line + 2 * kRow}).done - now - 5e4;
  }
  EXPECT_NEAR(of_one / kTimes, machine_.dram.latency, 0.03 * machine_.dram.latency);
  EXPECT_NEAR((of_two - of_one) / kTimes, 0.12 * machine_.dram.latency,
              0.05 * machine_.dram.latency);
}

// Reads and writes in turn keep DRAM changing its direction.
TEST_F(MemorySystemTest, ReadsAmongWritesWaitLonger) {
  machine_.l2.size = 1 << 20;
  const auto mean = [&](bool writes) {
    start(131, 1 << 22);
    double sum = 0;
    constexpr int kTimes = 4000;
    for (int k = 0; k < kTimes; ++k) {
      const double now = 30.0 * k;  // a quarter of the bandwidth, or half
      sum += access(now, static_cast<std::uint64_t>(2 * k)).done - now;
      if (writes) access(now, static_cast<std::uint64_t>(2 * k + 1), true);
    }
    return sum / kTimes;
  };
  EXPECT_GT(mean(true), mean(false) + 0.5 * machine_.dram.loaded);
}

// One sector of each of 16 lines is as much to send as 16 lines, at the SM's share of what all may
// send; who comes next waits. Alone on the GPU it is not held up.
TEST_F(MemorySystemTest, ScatteredStoresHoldUpWhatFollows) {
  std::vector<std::uint64_t> lines;
  for (std::uint64_t k = 0; k < 16; ++k) lines.push_back(k);
  const auto next = [&](std::size_t others) {
    start(others, 1 << 20);
    scattered(0, lines, true);
    return access(1, 1000).taken;
  };
  const double share = 132 / machine_.l2.write_requests;
  EXPECT_NEAR(next(131), 15 * share - 16, 2);
  EXPECT_LT(next(0), 10);
}

// In the middle of a launch the SMs are not in step: a burst of one of them finds queues as they
// are on average, but no more is served than can be.
TEST_F(MemorySystemTest, BurstsOfAnSmAreItsOwn) {
  const auto burst = [&](bool in_step, std::uint64_t lines) {
    start(131, 1 << 22);
    memory_->restart(nullptr, nullptr, in_step);
    double last = 0;
    for (std::uint64_t k = 0; k < lines; ++k) last = std::max(last, access(2000, k).done - 2000);
    return last;
  };
  const double queued = 132.0 * 100 * kLineBytes / machine_.dram.bandwidth;
  EXPECT_LT(burst(false, 100), burst(true, 100) - 0.3 * queued);
  const double most = 132.0 * 2000 * kLineBytes / machine_.dram.bandwidth;
  EXPECT_GT(burst(false, 2000), most - 1000);
}

// No level delivers faster than its bandwidth.
TEST_F(MemorySystemTest, DramTakesAsLongAsItsBytes) {
  start(131, 1 << 22);
  double last = 0;
  for (std::uint64_t k = 0; k < 2000; ++k) last = std::max(last, access(0, k).done);
  EXPECT_GE(last, 132.0 * 2000 * kLineBytes / machine_.dram.bandwidth);
}

}  // namespace
}  // namespace burin::timing
