// Integer divisions and remainders: what the compiler makes of `a / b` and `a % b` where b is not
// known to it. 32 bits are some twenty instructions in place, around a reciprocal in floating
// point; 64 bits are a call.
//
//   for (const Division& d : integer_divisions(c)) …   // {32, 0x0300, {I2F, MUFU.RCP, F2I, IMAD.HI
//   …}}
#pragma once

#include <cstdint>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

struct Division {
  unsigned bits = 32;
  std::uint32_t site = 0;                     // the first of its instructions, or the call
  unsigned quotients = 1;                     // of the same divisor
  std::vector<std::uint32_t> instructions{};  // of the reciprocal, the quotient, its correction
  // What is divided counts the loop around it; so do, without a division, the numbers that these
  // make of the result.
  bool counted = false;
  std::vector<std::uint32_t> following{};
};
std::vector<Division> integer_divisions(const Case& c);

// A division of floats by what was divided by before: in an iteration before, where the loop does
// not change the divisor, or by a division above. With the divisor's reciprocal, computed once, it
// were a product.
struct RepeatedDivision {
  std::uint32_t check = 0;  // FCHK: would the quotient be exact?
  bool in_loop = false;     // that does not change the divisor
  std::vector<std::uint32_t>
      needless{};  // the check, the reciprocal, its and the rest's correction
  std::vector<std::uint32_t> products{};  // the quotient and its correction: one of them stays
};
std::vector<RepeatedDivision> repeated_divisions(const Case& c);

}  // namespace burin::advise
