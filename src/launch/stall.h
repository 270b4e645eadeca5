// Why a warp did not issue in a cycle, named as the hardware's profilers name it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace burin::launch {

enum class Stall : std::uint8_t {
  kLongScoreboard,    // for a result from L1 or beyond
  kShortScoreboard,   // for a result from shared memory, the transcendental unit or a shuffle
  kWait,              // the fixed number of cycles that the instruction before asks for
  kBarrier,           // at a block's barrier
  kMathPipeThrottle,  // the arithmetic unit is taken
  kMioThrottle,       // the queue to shared memory and its like is full
  kLgThrottle,        // the queue to global and local memory is full
  kNotSelected,       // ready, and another warp was taken
  kNoInstruction,     // its instruction has not been fetched
  kBranchResolving,   // for the target of a branch
  kDispatch,          // the registers cannot be read so fast
  kImcMiss,           // for a constant
  kMembar,            // for stores to be seen by others
  kSleeping,
  kDrain,  // its stores must leave before it ends
  kGmma,   // for products of the warpgroup
  kMisc,
};
inline constexpr std::size_t kStalls = static_cast<std::size_t>(Stall::kMisc) + 1;
std::string_view name(Stall stall);  // "long_scoreboard"

// Warp-cycles of a stall, split by what the warp's scheduler did meanwhile.
struct StallCycles {
  double active = 0;   // it issued from another warp
  double latency = 0;  // it issued nothing

  double sum() const { return active + latency; }
  StallCycles& operator+=(const StallCycles& other) {
    active += other.active;
    latency += other.latency;
    return *this;
  }
};

}  // namespace burin::launch
