// An instruction word written field by field, as the decoder's tables name them.
//
//   OneOp op(Bits(0x919).at(16, 5).at(72, 0x21));   // S2R R5, SR_TID.X
#pragma once

#include <cassert>
#include <cstdint>

#include "one_op.h"

namespace burin::emulate {

class Bits {
 public:
  explicit Bits(std::uint64_t opcode) : word_{.low = opcode | 7 << 12} {}  // guarded by PT

  // `value` from bit `from` on; bits that are set already stay.
  Bits& at(unsigned from, std::uint64_t value) {
    if (from >= 64) {
      word_.high |= value << (from - 64);
    } else {
      word_.low |= value << from;
      if (from > 32) word_.high |= value >> (64 - from);
    }
    return *this;
  }
  Bits& guard(std::uint64_t predicate) {
    word_.low = (word_.low & ~std::uint64_t{0xf000}) | predicate << 12;
    return *this;
  }

  operator OneOp::Word() const { return word_; }  // NOLINT: that is what it is for

 private:
  OneOp::Word word_;
};

}  // namespace burin::emulate
