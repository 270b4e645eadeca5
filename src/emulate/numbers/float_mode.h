// Indices into Op::mode for float instructions of all formats. Entries that no instruction uses
// together share an index.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/state/op.h"

namespace burin::emulate {

enum FloatMode : std::size_t {
  kSources = 0,  // sign changes of up to three sources: FloatSigns, or HalfSource (half.h)
  kRounding = 3,
  kFlushes = 4,
  // Arithmetic: .SAT, .RELU, and the exponent that FMUL adds.
  kClamps = 5,
  kRectifies = 6,
  kScale = 7,
  // Comparisons: relations (float_compare.h) and Logic (truth.h). Minimum and maximum: treatment of
  // NaN and of signs.
  kRelations = 5,
  kLogic = 6,
  kKeepsNan = 5,
  kXorsSigns = 6,
  kBfloat = 7,
  // Conversions, which have one source or leave sign changes to Source: the indices of their types,
  // the position of the value in the register, and the treatment of values out of range.
  kFrom = 1,
  kTo = 2,
  kShift = 5,
  kNanIsZero = 7,
  kSaturates = 7,
  // MUFU.
  kFunction = 1,
};

enum FloatSigns : std::uint8_t { kNegated = 1, kAbsolute = 2 };
inline std::uint8_t sign_changes(const read::Operand& operand) {
  return static_cast<std::uint8_t>((operand.negated ? kNegated : 0) |
                                   (operand.absolute ? kAbsolute : 0));
}

}  // namespace burin::emulate
