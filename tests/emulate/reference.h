// What an integer instruction does to one lane, said as plainly as possible and on the decoded
// instruction itself: the emulator's vector code is held against it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulate/state/warp.h"
#include "read/isa/instruction.h"

namespace burin::emulate {

struct Outcome {
  std::vector<std::pair<std::uint16_t, std::uint32_t>> registers;  // slot, value
  std::vector<std::pair<std::uint8_t, bool>> predicates;
};

// None where this reference does not cover the instruction. `before` is the warp as it was.
std::optional<Outcome> reference(const read::Instruction& i, const Warp& before, unsigned lane,
                                 const ConstantMemory& constants);

}  // namespace burin::emulate
