// One SM, cycle by cycle: blocks arrive, four schedulers issue from their warps, units and memory
// take what they are sent. Nothing is stepped that does not happen: each scheduler goes from issue
// to issue.
//
//   Sm sm(machine, code, memory, fetch…);
//   SmRun run = sm.run(blocks);
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "timing/code/machine_of.h"
#include "timing/code/timed_code.h"
#include "timing/memory/memory_system.h"
#include "timing/sm/account.h"
#include "timing/sm/path_step.h"
#include "timing/trace/block_job.h"

namespace burin::timing {

struct SmOptions {
  unsigned resident = 1;         // blocks at a time
  double first_dispatch = 0;     // cycle at which the first may start
  double dispatch_step = 0;      // cycles between two blocks that end, by the whole GPU's rate
  bool cold = true;              // instructions and constants are in no cache yet
  bool attribute_stalls = true;  // where warp-cycles go is written down; else only times count
  PathSteps* path = nullptr;     // gets a step for each issue, in their order
};

struct BlockTimes {
  double begin = 0;
  double end = 0;
  double weighted_end = 0;  // `end` with all that the replayed steps stand for: see SmRun
};

struct SmRun {
  std::vector<BlockTimes> blocks;
  double end = 0;  // of the last block, stores included
  // `end` with all that the replayed steps stand for: each short stretch of time counts as often as
  // what was issued in it, on average.
  double weighted = 0;
  // It goes up and down with `weighted`, but chance has less part in it: where many blocks follow
  // one another, twice the mean time of all issues.
  double smooth_end = 0;
  std::uint64_t replayed = 0;  // steps
  // From each warp's start to its end, weighted: what the account's issues and stalls add up to.
  double warp_cycles = 0;
  std::array<double, machine::kResources>
      busy{};                  // cycles, weighted; per scheduler units as their mean
  std::uint64_t released = 0;  // warps that waited for what never came: should be 0
};

class Sm {
 public:
  Sm(const MachineOf& machines, const std::vector<TimedOp>& code, MemorySystem& memory,
     Account& account, SmOptions options);
  ~Sm();

  SmRun run(std::span<const BlockJob> jobs);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace burin::timing
