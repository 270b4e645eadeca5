// The reasons why a warp does not issue in a cycle, named as in NVIDIA's profilers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace burin::launch {

enum class Stall : std::uint8_t {
  kLongScoreboard,    // waiting for a result from L1 or beyond
  kShortScoreboard,   // waiting for shared memory, the transcendental unit or a shuffle
  kWait,              // fixed stall cycles of the previous instruction
  kBarrier,           // waiting at a block barrier
  kMathPipeThrottle,  // the arithmetic pipe is busy
  kMioThrottle,       // the MIO queue (shared memory and similar) is full
  kLgThrottle,        // the queue to global and local memory is full
  kNotSelected,       // ready, but the scheduler selected another warp
  kNoInstruction,     // the next instruction has not been fetched
  kBranchResolving,   // waiting for a branch target
  kDispatch,          // register read throughput is exceeded
  kImcMiss,           // waiting for a constant (immediate constant cache miss)
  kMembar,            // memory barrier: waiting for stores to become visible
  kSleeping,
  kDrain,  // waiting for stores to drain before exit
  kGmma,   // waiting for warpgroup matrix products
  kMisc,
};
inline constexpr std::size_t kStalls = static_cast<std::size_t>(Stall::kMisc) + 1;
std::string_view name(Stall stall);  // "long_scoreboard"

// Warp-cycles of a stall, split by whether the warp's scheduler issued in the same cycle.
struct StallCycles {
  double active = 0;   // the scheduler issued from another warp
  double latency = 0;  // the scheduler issued nothing

  double sum() const { return active + latency; }
  StallCycles& operator+=(const StallCycles& other) {
    active += other.active;
    latency += other.latency;
    return *this;
  }
};

}  // namespace burin::launch
