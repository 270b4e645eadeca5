// Integer divisions and remainders: what the compiler makes of `a / b` and `a % b` where b is not
// known to it. 32 bits are some twenty instructions in place, around a reciprocal in floating
// point; 64 bits are a call.
//
//   for (const Division& d : integer_divisions(c)) …   // {32, 0x0300, {I2F, MUFU.RCP, F2I, IMAD.HI
//   …}}
#pragma once

#include <cstdint>
#include <vector>

#include "advise/case.h"

namespace burin {

struct Division {
  unsigned bits = 32;
  std::uint32_t site = 0;                     // the first of its instructions, or the call
  unsigned quotients = 1;                     // of the same divisor
  std::vector<std::uint32_t> instructions{};  // of the reciprocal, the quotient, its correction
};
std::vector<Division> integer_divisions(const Case& c);

}  // namespace burin
