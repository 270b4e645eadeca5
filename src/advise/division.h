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
  // What is divided counts the loop around it; so do, without a division, the numbers that these
  // make of the result.
  bool counted = false;
  std::vector<std::uint32_t> following{};
};
std::vector<Division> integer_divisions(const Case& c);

// A division of floats in a loop that does not change the divisor: with its reciprocal, computed in
// front of the loop, it were a product.
struct InvariantDivision {
  std::uint32_t check = 0;                // FCHK: would the quotient be exact?
  std::vector<std::uint32_t> needless{};  // that, the reciprocal, its and the rest's correction
  std::vector<std::uint32_t> products{};  // the quotient and its correction: one of them stays
};
std::vector<InvariantDivision> invariant_divisions(const Case& c);

}  // namespace burin
