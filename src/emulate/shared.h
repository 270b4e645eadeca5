// The shared memory of one block, and the watch over it: which bytes were written, and which
// accesses no barrier orders.
//
// Addresses are bytes from the start of the block's window, in which the first `reserved` bytes
// belong to the system (1 KB on sm_80 and later: the kernel's own variables start behind).
//
// Order is kept by vector clocks of warps, as race detectors do: an access is remembered as (warp,
// its own clock), and it happened before another warp's where that warp has, through barriers, seen
// this clock. Within a warp the program's order holds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulate/memory.h"

namespace burin {

struct Warp;

// What a warp has seen of each warp of its block.
using Clock = std::array<std::uint32_t, 32>;
inline void join(Clock& into, const Clock& other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = other[i] > into[i] ? other[i] : into[i];
}

enum class SharedUse : std::uint8_t { kRead, kWrite, kAtomic };

class SharedMemory {
 public:
  // `bytes`: reserved, static and dynamic together.
  void reset(std::uint32_t bytes, std::uint32_t reserved);

  std::uint32_t size() const { return static_cast<std::uint32_t>(bytes_.size()); }

  // False where a byte is outside; nothing is then done. No checks of order.
  bool read(std::uint64_t address, unsigned size, Datum& out) const;
  bool write(std::uint64_t address, unsigned size, const Datum& in);

  // A conflict that no barrier orders with this access.
  struct Race {
    bool found = false;
    std::uint32_t instruction = 0;  // of the earlier access
    std::uint32_t thread = 0;       // linear in the block
    SharedUse use = SharedUse::kRead;
  };
  // Notes that the lane's thread uses the bytes; `clock` is its warp's.
  Race note(std::uint64_t address, unsigned size, SharedUse use, std::uint32_t instruction,
            std::uint32_t warp, unsigned lane, const Clock& clock);

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint32_t reserved_ = 0;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace burin
