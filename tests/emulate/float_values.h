// Random floats that are worth testing with: all classes, exponents that meet, last bits that tie.
#pragma once

#include <cstdint>

#include "emulate/numbers/float_format.h"

namespace burin::emulate {

class FloatValues {
 public:
  explicit FloatValues(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  // A value of the format: one in eight special, half of the others close to 1.
  std::uint64_t next(const FloatFormat& format) {
    const std::uint64_t all = format.sign() * 2 - 1;
    const std::uint64_t kind = bits() % 16;
    const std::uint64_t specials[] = {0, format.sign(), format.infinity, format.nan,
                                      1, format.largest};
    if (kind < 2) return specials[bits() % 6] & all;
    const int fraction_bits = format.precision - 1;
    const std::uint64_t fraction = bits() & ((std::uint64_t{1} << fraction_bits) - 1);
    const std::uint64_t ties =
        kind % 3 == 0 ? fraction & ~std::uint64_t{0} << fraction_bits / 2 : fraction;
    const std::uint64_t near = static_cast<std::uint64_t>(format.bias) - 3 + bits() % 6;
    const std::uint64_t any = bits() >> (64 - (format.width - format.precision));
    const std::uint64_t exponent = kind < 9 ? near : any;
    return ((bits() & format.sign()) | exponent << fraction_bits | ties) & all;
  }

 private:
  std::uint64_t state_;
};

}  // namespace burin::emulate
