// Race detection for a block's shared memory: finds accesses that no barrier orders.
//
// It uses vector clocks per warp, as race detectors do. An access is recorded as (warp, the warp's
// own clock); it happened before an access of another warp if that warp has seen this clock through
// barriers. Within a warp, program order holds. A warp's own clock starts at 1. A release (at a
// barrier or an mbarrier) joins the warp's Clock into the barrier's clock and then adds 1 to the
// warp's own clock; an acquire joins in the other direction.
//
// Only the last write and the latest reads of each 32-bit word are kept, so some races are missed:
// of reads with different clocks, only the latest are remembered. There are no false positives:
// every reported access is a race.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulate/values/lanes.h"

namespace burin::emulate {

// The latest clock of each warp of the block that a warp has seen.
using Clock = std::array<std::uint32_t, 32>;
inline void join(Clock& into, const Clock& other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = other[i] > into[i] ? other[i] : into[i];
}

// The clock of a warp that exited before a block-wide barrier: everything it did has been seen.
inline constexpr std::uint32_t kEndedClock = (1u << 30) - 1;

enum class SharedUse : std::uint8_t {
  kRead,
  kWrite,
  kAtomic,
  kCopy,  // only in a Race: a copy not yet waited for (pending_copies.h)
};

// An earlier access that conflicts with an access and is not ordered with it by a barrier.
struct Race {
  bool found = false;
  std::uint32_t instruction = 0;  // instruction of the earlier access
  std::uint32_t thread = 0;       // linear index in the block of the thread of the earlier access
  SharedUse use = SharedUse::kRead;
};

// A shared memory access of a whole warp. Addresses are bytes from the start of the window; all
// must be inside.
struct SharedAccess {
  const std::uint64_t* address = nullptr;  // per lane
  Mask lanes = 0;
  unsigned bytes = 4;
  SharedUse use = SharedUse::kRead;
  std::uint32_t instruction = 0;
  std::uint32_t warp = 0;
  std::uint32_t warps = 32;  // number of warps in the block
};
struct SharedRaces {
  Mask lanes = 0;
  Race first;  // race of the lowest lane in `lanes`
};

class SharedWatch {
 public:
  // Starts a new block with `bytes` bytes of shared memory and forgets all recorded accesses.
  void reset(std::uint32_t bytes);

  SharedRaces note(const SharedAccess& access, const Clock& clock);

  // Handles an atomic that programs use to build locks: everything that this warp did before it is
  // ordered before the next warp that uses the word in the same way.
  void synchronise(std::uint32_t word, std::uint32_t warp, Clock& clock);

 private:
  // Clock and author of an access: the clock in the upper 32 bits, then 1 bit atomic, 21 bits
  // instruction, 5 bits warp and 5 bits lane. A later clock is a larger number.
  using Record = std::uint64_t;
  struct Shadow {
    Record write = 0;           // kSplit: each byte has its own Shadow, in split_[readers]
    Record read = 0;            // latest read
    std::uint32_t readers = 0;  // mask of warps that have read at the clock of `read`
  };
  // Larger than all other records, so that the order check needs no separate test for it.
  static constexpr Record kSplit = ~Record{0};
  struct Author;  // author of the access being recorded

  static std::uint32_t warp_of(Record r) { return r >> 5 & 31; }
  bool before(Record r, const Author& author) const;
  bool note_word(Shadow& shadow, unsigned bytes, const Author& author, Race& race);
  bool note_one(Shadow& shadow, const Author& author, Race& race);

  std::vector<Shadow> shadow_;  // per 32-bit word
  std::vector<std::array<Shadow, 4>> split_;
  // Upper bound on the clocks of earlier blocks, so that a new block need not clear the shadows.
  std::uint32_t base_ = 0;
  std::uint32_t latest_ = 0;  // highest clock ever recorded
  std::unordered_map<std::uint32_t, Clock> locks_;
};

}  // namespace burin::emulate
