// The watch over a block's shared memory: which accesses no barrier orders.
//
// Order is kept by vector clocks of warps, as race detectors do: an access is remembered as (warp,
// its own clock), and it happened before another warp's where that warp has, through barriers, seen
// this clock. Within a warp the program's order holds. A warp's own clock starts at 1; who releases
// (a barrier, an mbarrier) joins the warp's Clock into what it keeps and then adds 1 to the warp's
// own; who acquires joins the other way.
//
// Of each 32-bit word the last write and the last reads are kept, so some races go unseen: of reads
// with different clocks only the latest are remembered. What is reported is a race.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulate/values/lanes.h"

namespace burin::emulate {

// What a warp has seen of each warp of its block.
using Clock = std::array<std::uint32_t, 32>;
inline void join(Clock& into, const Clock& other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = other[i] > into[i] ? other[i] : into[i];
}

// What a warp has seen of one that had ended before a barrier of the whole block: all of it.
inline constexpr std::uint32_t kEndedClock = (1u << 30) - 1;

enum class SharedUse : std::uint8_t {
  kRead,
  kWrite,
  kAtomic,
  kCopy,  // in a Race alone: a copy that its thread has not waited for (pending_copies.h)
};

// A conflict that no barrier orders with an access.
struct Race {
  bool found = false;
  std::uint32_t instruction = 0;  // of the earlier access
  std::uint32_t thread = 0;       // linear in the block
  SharedUse use = SharedUse::kRead;
};

// A whole warp's use of shared memory, in bytes from the start of the window, all of them inside.
struct SharedAccess {
  const std::uint64_t* address = nullptr;  // per lane
  Mask lanes = 0;
  unsigned bytes = 4;
  SharedUse use = SharedUse::kRead;
  std::uint32_t instruction = 0;
  std::uint32_t warp = 0;
  std::uint32_t warps = 32;  // of the block
};
struct SharedRaces {
  Mask lanes = 0;
  Race first;  // of the lowest of them
};

class SharedWatch {
 public:
  // A new block of so many bytes. All that was noted before is forgotten.
  void reset(std::uint32_t bytes);

  SharedRaces note(const SharedAccess& access, const Clock& clock);

  // An atomic that programs build locks from: what this warp did before it, the next warp to use
  // the word so has seen.
  void synchronise(std::uint32_t word, std::uint32_t warp, Clock& clock);

 private:
  // Clock and author of an access: the clock in the upper half, then 1 bit atomic, 21 instruction,
  // 5 warp and 5 lane. A later clock is a larger number.
  using Record = std::uint64_t;
  struct Shadow {
    Record write = 0;           // kSplit: each byte has a Shadow of its own, in split_[readers]
    Record read = 0;            // the last one
    std::uint32_t readers = 0;  // warps that have read with the clock of `read`
  };
  // Larger than all others, so that it needs no test of its own where the order is checked.
  static constexpr Record kSplit = ~Record{0};
  struct Author;  // of the access that is being noted

  static std::uint32_t warp_of(Record r) { return r >> 5 & 31; }
  bool before(Record r, const Author& author) const;
  bool note_word(Shadow& shadow, unsigned bytes, const Author& author, Race& race);
  bool note_one(Shadow& shadow, const Author& author, Race& race);

  std::vector<Shadow> shadow_;  // per word
  std::vector<std::array<Shadow, 4>> split_;
  // Clocks of earlier blocks are at most this, so that a new block need not clear the shadows.
  std::uint32_t base_ = 0;
  std::uint32_t latest_ = 0;  // clock that was ever noted
  std::unordered_map<std::uint32_t, Clock> locks_;
};

}  // namespace burin::emulate
