// Proves that a warp never ends: that it repeats the same instructions with the same values, and
// that memory stays as it is meanwhile. Only another warp could then end the loop.
//
//   if (const Standstill still = standstill_of(warp, tally, listener); still.proven && still.spin)
//     describe(*still.spin, warp, tally)   // "warp 0 of block 0,0,0 is in the loop at spin.cu:7 …"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulate/execute/step.h"

namespace burin::emulate {

// A word that the loop reads in every iteration, and on which its end depends.
struct PolledWord {
  std::uint32_t instruction = 0;
  read::Space space = read::Space::kGlobal;
  std::uint64_t address = 0;  // as in Access
  unsigned bytes = 0;
  std::uint32_t value = 0;  // its low 32 bits
};

struct Spin {
  std::uint32_t instruction = 0;  // of the loop, the first in code order
  std::vector<PolledWord> words;  // no more than a few
};

struct Standstill {
  bool proven = false;         // the warp waits, or repeats itself; false: not known
  std::optional<Spin> spin{};  // empty: it waits at a barrier or for other lanes
};

// Executes the warp for up to a few thousand instructions to find out. A value that affects neither
// control flow nor memory, such as a counter of the iterations, may change.
Standstill standstill_of(Warp& warp, Tally& tally, Listener* listener);

// Returns where the warp is and what it waits for: "warp 0 of block 0,0,0 is in the loop at
// spin.cu:7, which has run 812 times and waits for byte 0 of argument 0 (4 bytes), which stays 0x0:
// no running block writes it".
std::string describe(const Spin& spin, const Warp& warp, const Tally& tally);

// Returns the place of the instruction, with the innermost loop around it.
std::string describe_place(const Warp& warp, std::uint32_t instruction, const Tally& tally);

}  // namespace burin::emulate
