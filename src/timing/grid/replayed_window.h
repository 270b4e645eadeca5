// What the replay of one window gave, and how it adds to the prediction of the whole launch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "timing/memory/memory_system.h"
#include "timing/result/prediction.h"
#include "timing/sm/account.h"
#include "timing/sm/sm.h"

namespace burin::timing {

struct ReplayedWindow {
  std::uint64_t count = 0;  // blocks
  double stands_for = 0;    // … of the SM
  SmRun run;
  std::unique_ptr<Account> account;
  TrafficSum traffic;
  std::vector<MemorySystem::InstructionTraffic> by_instruction;
  std::array<double, machine::kResources> busy{};
  double stretch = 1;  // cycles that a replayed one stands for

  double begin(std::uint64_t i) const { return run.blocks[i].begin * stretch; }
  double end() const { return run.end * stretch; }
  // Cycles from one block to the next, when the SM is full: blocks come in waves, so the last wave
  // is held against one a whole number of waves before.
  double step(std::uint64_t resident) const;
};

// Cycles that the fullest unit of an SM works, or its share of a unit of the whole GPU.
double busiest(const std::vector<ReplayedWindow>& windows);

// Fills in all of the prediction that is a sum over blocks: what instructions cost, traffic, busy
// shares. `sms` have work, for `sm_cycles`, and each window's blocks count `others` times.
void sum_up(const std::vector<ReplayedWindow>& windows, double others, double sms, double sm_cycles,
            Prediction& p);

}  // namespace burin::timing
