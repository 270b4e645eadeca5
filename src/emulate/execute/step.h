// One instruction of one warp: what both the run of values and the timing model are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/state/warp.h"
#include "emulate/values/event.h"
#include "emulate/values/run_counts.h"

namespace burin::emulate {

// What a worker counts while its warps run.
struct Tally {
  std::vector<InstructionCount> counts;
  UnknownCount unknown;
  bool stored = false;  // set by every plain store; for whoever wants to know if anything happens
};

enum class StepResult : std::uint8_t {
  kRan,      // the instruction is done; its split may now wait for something
  kWaiting,  // the warp cannot go on now: every split waits, or its instruction must be tried again
  kEnded,    // no lane is left
};

// Executes the next instruction of the warp's current split (of another, where that one waits).
// A split that must try again is made ready by wake().
StepResult step(Warp& warp, Tally& tally, Listener* listener);

// Lets splits that have to try again do so.
void wake(Warp& warp);

}  // namespace burin::emulate
