// Executes one instruction of one warp: the basis of both value emulation and the timing model.
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/state/warp.h"
#include "emulate/values/event.h"
#include "emulate/values/run_counts.h"

namespace burin::emulate {

// The counters of one worker.
struct Tally {
  std::vector<InstructionCount> counts;
  UnknownCount unknown;
  bool stored = false;  // set by every non-atomic store, to detect progress
  bool wrote = false;   // set by every store, and by atomics that change memory
};

enum class StepResult : std::uint8_t {
  kRan,      // the instruction completed; its split may now wait
  kWaiting,  // the warp is blocked: every split waits or must retry its instruction
  kEnded,    // all lanes have exited
};

// Executes the next instruction of the warp's current split, or of another split if the current one
// waits. A split that must retry becomes ready again through wake().
StepResult step(Warp& warp, Tally& tally, Listener* listener);

// Makes the splits that must retry their instruction ready.
void wake(Warp& warp);

}  // namespace burin::emulate
