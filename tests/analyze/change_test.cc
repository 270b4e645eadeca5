// Does a change of a resource do to the time what theory says?
#include "analyze/study/change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "analyze/study/compared_machine.h"
#include "machine/entries.h"
#include "timing/made_block.h"

namespace burin::analyze {
namespace {

// One pipe that takes an operation every `gap` cycles and answers after `latency`; `warps` times
// `chains` chains of `phases` operations, each of which needs the one before.
struct SinglePipe {
  double latency = 0;
  double gap = 0;
  unsigned warps = 1;
  unsigned chains = 1;  // of a warp: each waits for a scoreboard of its own
  unsigned phases = 1;

  double concurrency() const { return warps * chains; }
  bool latency_limited() const { return latency > concurrency() * gap; }

  // Section 3 of the paper that docs/predict.md names.
  double formula() const {
    const double c = concurrency();
    return latency_limited() ? latency * phases + (c - 1) * gap : latency + (c * phases - 1) * gap;
  }

  double emulated() const {
    timing::MadeBlock made;
    made.machine.issue.policy = machine::IssuePolicy::kRoundRobin;
    std::vector<std::uint32_t> steps;
    std::vector<std::uint32_t> chain;
    std::uint8_t all = 0;
    for (unsigned k = 0; k < chains; ++k) {
      timing::TimedOp op = arithmetic(timing::Unit::kFp64, gap);
      op.latency = latency;
      op.write_barrier = static_cast<std::uint8_t>(k);
      op.wait_mask = static_cast<std::uint8_t>(1u << k);
      all = static_cast<std::uint8_t>(all | op.wait_mask);
      chain.push_back(made.op(op));
    }
    for (unsigned p = 0; p < phases; ++p) steps.insert(steps.end(), chain.begin(), chain.end());
    timing::TimedOp end = timing::plain();
    end.wait_mask = all;
    steps.push_back(made.op(end));
    for (unsigned w = 0; w < warps; ++w) made.warp(steps);
    made.replay();
    return made.run.end - 1;  // the last operation's result is there when `end` issues
  }
};

// Random pipes; fractions of cycles too.
std::vector<SinglePipe> pipes() {
  std::mt19937 random(7);
  const auto in = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  std::vector<SinglePipe> all;
  while (all.size() < 200) {
    SinglePipe p;
    p.gap = in(1, 6);
    p.warps = static_cast<unsigned>(in(1, 12));
    p.chains = static_cast<unsigned>(in(1, 5));
    p.phases = static_cast<unsigned>(in(20, 80));
    p.latency = std::max(p.gap, in(4, 160));
    // The formulas are those of the two sides; at the border between them a step crosses over.
    const double side = p.latency / (p.concurrency() * p.gap);
    if (side > 0.8 && side < 1.25) continue;
    all.push_back(p);
  }
  return all;
}

// The whole model counts whole cycles where it starts and ends, and a warp issues in a whole cycle:
// where gaps are fractions, a turn is missed now and then.
constexpr double kCycles = 3;
constexpr double kMissedTurns = 0.008;

TEST(SinglePipe, TimesAreThoseOfTheFormulas) {
  for (const SinglePipe& p : pipes()) {
    EXPECT_NEAR(p.emulated(), p.formula(), std::max(kCycles, kMissedTurns * p.formula()))
        << "L " << p.latency << " G " << p.gap << " C " << p.warps << "x" << p.chains << " P "
        << p.phases;
  }
}

TEST(SinglePipe, SensitivitiesAreThoseOfTheFormulas) {
  for (const SinglePipe& p : pipes()) {
    const double c = p.concurrency();
    const double lp = p.latency * p.phases;
    const double by_latency = p.latency_limited()
                                  ? 1 / (1 + (c - 1) * p.gap / lp)
                                  : 1 / (1 + (c * p.phases - 1) * p.gap / p.latency);
    const double by_gap = p.latency_limited() ? (c == 1 ? 0 : 1 / (1 + lp / ((c - 1) * p.gap)))
                                              : 1 / (1 + p.latency / ((c * p.phases - 1) * p.gap));
    constexpr double kStep = 0.1;
    SinglePipe slower = p;
    slower.latency *= 1 + kStep;
    const double time = p.emulated();
    const double slack = 2 * kCycles / time / kStep;
    EXPECT_NEAR((slower.emulated() / time - 1) / kStep, by_latency, slack);
    slower = p;
    slower.gap *= 1 + kStep;
    if (slower.latency < slower.gap) continue;
    EXPECT_NEAR((slower.emulated() / time - 1) / kStep, by_gap, slack);
  }
}

TEST(Change, EveryTimeOfAMachineBelongsToOneResource) {
  const machine::Machine machine = timing::h200();
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    int found = 0;
    for (std::size_t r = 0; r < machine::kResources; ++r) {
      for (const Mode mode : kModes) {
        const machine::Machine other =
            changed(machine, {static_cast<machine::Resource>(r), mode, 1.25});
        const double ratio = entry.in(other) / entry.in(machine);
        if (entry.in(machine) == 0 || ratio == 1) continue;
        ++found;
        EXPECT_NEAR(entry.unit.ends_with("/cycle") ? 1 / ratio : ratio, 1.25, 1e-9) << entry.name;
      }
    }
    EXPECT_LE(found, 1) << entry.name;
    // Sizes and limits stay; every other time or rate belongs to a resource.
    const bool time = entry.kind == machine::MachineEntry::Kind::kModel &&
                      (entry.unit == "cycles" || entry.unit.ends_with("/cycle"));
    EXPECT_EQ(found, time && entry.in(machine) != 0 ? 1 : 0) << entry.name;
  }
}

TEST(Change, IssueTakesSlots) {
  EXPECT_EQ(issue_slots({machine::Resource::kIssue, Mode::kThroughput, 1.5}), 1.5);
  EXPECT_EQ(issue_slots({machine::Resource::kIssue, Mode::kLatency, 1.5}), 1);
  EXPECT_EQ(issue_slots({machine::Resource::kFma, Mode::kThroughput, 1.5}), 1);
  // An SM whose instructions take half as many slots again takes half as long again.
  for (const double slots : {1.0, 1.1, 1.5, 2.25}) {
    timing::MadeBlock made;
    timing::TimedOp op = timing::plain();
    op.slots = slots;
    const std::uint32_t i = made.op(op);
    for (int w = 0; w < 4; ++w) made.warp(std::vector<std::uint32_t>(100, i));
    made.replay();
    EXPECT_NEAR(made.run.end, 400 * slots, 2);
  }
}

TEST(Nudged, SamplesOfAChangeAreALittleSmallerAndLarger) {
  EXPECT_EQ(nudged(10, 11, 0), 11);
  EXPECT_DOUBLE_EQ(nudged(10, 11, 1), 10.8);
  EXPECT_DOUBLE_EQ(nudged(10, 11, 2), 11.2);
  EXPECT_DOUBLE_EQ(nudged(10, 20, 2), 20.6);  // by 3 % at most
  for (unsigned sample = 0; sample < kMaxDithered; ++sample) {
    EXPECT_NEAR(nudged(10, 11, sample), 11, 0.2 + 1e-9);
    EXPECT_EQ(nudged(10, 10, sample), 10);
  }
}

TEST(Nudged, OnlyWhatWasChangedDiffers) {
  const machine::Machine machine = timing::h200();
  const machine::Machine slower =
      changed(machine, {machine::Resource::kDram, Mode::kThroughput, 1.2});
  const machine::Machine sample = nudged(machine, slower, 1);
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    if (entry.in(machine) == entry.in(slower)) {
      EXPECT_EQ(entry.in(sample), entry.in(machine)) << entry.name;
    } else {
      EXPECT_NE(entry.in(sample), entry.in(slower)) << entry.name;
    }
  }
}

}  // namespace
}  // namespace burin::analyze
