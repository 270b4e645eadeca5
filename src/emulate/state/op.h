// An instruction made ready to execute: operands resolved to slots, modifiers to small numbers, and
// the function that does it. `lower` (lower.h) makes them once per launch.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/values/lanes.h"
#include "read/isa/instruction.h"

namespace burin::emulate {

struct Warp;
struct Op;

// Executes one instruction for the lanes in Warp::exec, which is not empty.
using Execute = void (*)(Warp&, const Op&);

// All registers of a warp lie in one file of slots, so that the uniform datapath runs through the
// same functions: a uniform register holds its value in all 32 lanes.
inline constexpr std::uint16_t kZeroSlot = 255;     // RZ and URZ as a source: 0, never written
inline constexpr std::uint16_t kSinkSlot = 256;     // RZ and URZ as a destination: never read
inline constexpr std::uint16_t kUniformSlot = 257;  // UR0; UR62 is 319
inline constexpr std::uint16_t kSlots = 320;

// The k-th register of a pair or quadruple that starts at `slot`.
constexpr std::uint16_t slot_after(std::uint16_t slot, unsigned k) {
  return slot == kZeroSlot || slot == kSinkSlot ? slot : static_cast<std::uint16_t>(slot + k);
}

// Predicates likewise: P0 … P6, PT, UP0 … UP6, UPT, each a mask.
inline constexpr std::uint8_t kTrueSlot = 7;
inline constexpr std::uint8_t kUniformPredicateSlot = 8;
inline constexpr std::uint8_t kPredicateSinkSlot = 15;  // PT and UPT as a destination
inline constexpr std::uint8_t kPredicateSlots = 16;

// Where a 32-bit source value comes from and what is done to it on the way.
struct Source {
  enum class Change : std::uint8_t {
    kNone,
    kNegate,               // two's complement
    kInvert,               // ~x
    kFloatNegate,          // the sign bit flipped …
    kFloatAbsolute,        // … cleared …
    kFloatNegateAbsolute,  // … set
  };
  std::uint16_t slot = kZeroSlot;  // in Warp::slots, or in Program::pool
  bool pooled = false;             // an immediate or a constant, the same for the whole launch
  Change change = Change::kNone;
};

struct PredicateSource {
  std::uint8_t slot = kTrueSlot;
  bool negated = false;
};

struct Op {
  Execute execute = nullptr;
  const read::Instruction* instruction = nullptr;

  std::array<Source, 4> source{};  // A, B, C and one more
  std::array<std::uint16_t, 2> destination{kSinkSlot, kSinkSlot};
  std::array<std::uint8_t, 2> predicate_out{kPredicateSinkSlot, kPredicateSinkSlot};
  std::array<PredicateSource, 3> predicate_in{};

  std::uint8_t guard = kTrueSlot;
  bool uniform = false;  // runs on the uniform datapath: once, for all lanes
  bool idle = false;     // what it reads or writes matters to nobody: it only says where
  Mask guard_flip = 0;   // all ones: the guard is negated

  std::array<std::uint8_t, 8> mode{};  // the function's own choices, decoded when lowered
  std::uint32_t immediate = 0;
  std::int64_t offset = 0;  // of an address; target of a branch as an instruction's index
};

}  // namespace burin::emulate
