// The result of replaying one window, and its contribution to the prediction for the whole launch.
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
  std::uint64_t count = 0;  // blocks in the window
  double stands_for = 0;    // blocks of the SM that the window represents
  SmRun run;
  std::unique_ptr<Account> account;
  TrafficSum traffic;
  std::vector<MemorySystem::InstructionTraffic> by_instruction;
  std::array<double, machine::kResources> busy{};
  double stretch = 1;  // cycles represented by one replayed cycle

  double begin(std::uint64_t i) const { return run.blocks[i].begin * stretch; }
  double end() const { return run.end * stretch; }
  // SmRun::smooth_end, or longer if a resource is busy for longer than the blocks run.
  double smooth_end() const;
  double mean_duration() const;  // cycles of a block
  // Returns the cycles from one block to the next on a fully occupied SM. Blocks come in waves, so
  // the last wave is compared with one a whole number of waves earlier.
  double step(std::uint64_t resident) const;
};

// Returns the busy cycles of the busiest resource: a unit of the SM, or the SM's share of a unit of
// the whole GPU.
double busiest(const std::vector<ReplayedWindow>& windows);

// Whether all SMs share the resource; otherwise each SM has its own.
bool is_shared(machine::Resource resource);

// Fills in every part of the prediction that is a sum over blocks: instruction costs, traffic and
// busy shares. `sms` is the number of SMs with work, `sm_cycles` the time for which they have it,
// and `others` how many times each window's blocks count.
void sum_up(const std::vector<ReplayedWindow>& windows, double others, double sms, double sm_cycles,
            Prediction& p);

}  // namespace burin::timing
