// An instruction ready for execution: operands resolved to slots, modifiers to small numbers, plus
// the function that executes it. `lower` (lower.h) builds all Ops once per launch.
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

// All registers of a warp are in one slot array, so that uniform-datapath instructions use the same
// functions: a uniform register holds its value in all 32 lanes.
inline constexpr std::uint16_t kZeroSlot = 255;     // RZ and URZ as a source: 0, never written
inline constexpr std::uint16_t kSinkSlot = 256;     // RZ and URZ as a destination: never read
inline constexpr std::uint16_t kUniformSlot = 257;  // UR0; UR62 is 319
inline constexpr std::uint16_t kSlots = 320;

// Returns the slot of the k-th register of a pair or quadruple that starts at `slot`.
constexpr std::uint16_t slot_after(std::uint16_t slot, unsigned k) {
  return slot == kZeroSlot || slot == kSinkSlot ? slot : static_cast<std::uint16_t>(slot + k);
}

// All predicates are in one array of lane masks: P0 … P6, PT, UP0 … UP6, UPT.
inline constexpr std::uint8_t kTrueSlot = 7;
inline constexpr std::uint8_t kUniformPredicateSlot = 8;
inline constexpr std::uint8_t kPredicateSinkSlot = 15;  // PT and UPT as a destination
inline constexpr std::uint8_t kPredicateSlots = 16;

// The location of a 32-bit source value and the change applied when it is read.
struct Source {
  enum class Change : std::uint8_t {
    kNone,
    kNegate,               // two's complement
    kInvert,               // ~x
    kFloatNegate,          // flip the sign bit
    kFloatAbsolute,        // clear the sign bit
    kFloatNegateAbsolute,  // set the sign bit
  };
  std::uint16_t slot = kZeroSlot;  // index in Warp::slots, or in Program::pool if `pooled`
  bool pooled = false;             // immediate or constant, fixed for the whole launch
  Change change = Change::kNone;
};

struct PredicateSource {
  std::uint8_t slot = kTrueSlot;
  bool negated = false;
};

struct Op {
  Execute execute = nullptr;
  const read::Instruction* instruction = nullptr;

  std::array<Source, 4> source{};  // A, B, C and one extra
  std::array<std::uint16_t, 2> destination{kSinkSlot, kSinkSlot};
  std::array<std::uint8_t, 2> predicate_out{kPredicateSinkSlot, kPredicateSinkSlot};
  std::array<PredicateSource, 3> predicate_in{};

  std::uint8_t guard = kTrueSlot;
  bool uniform = false;  // runs on the uniform datapath, once for all lanes
  bool idle = false;     // only its addresses matter: no data is read or written
  bool always = false;   // executed even if the guard is false in all lanes
  Mask guard_flip = 0;   // all ones if the guard is negated

  std::array<std::uint8_t, 8> mode{};  // meaning set by the execute function; decoded when lowered
  std::uint32_t immediate = 0;
  std::int64_t offset = 0;  // address offset, or branch target as instruction index
};

}  // namespace burin::emulate
