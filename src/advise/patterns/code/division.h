// Integer divisions and remainders: the code that the compiler generates for `a / b` and `a % b`
// where b is not a compile-time constant. A 32-bit division is some twenty inlined instructions
// around a floating-point reciprocal; a 64-bit division is a call.
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
  std::uint32_t site = 0;  // its first instruction; of 64 bits: the first of `sites`
  // 64 bits: an instruction for each place in the source that divides, most executed first. It is
  // the call, or the product that is divided if its statement has the division: compilers move
  // calls to other iterations, where the line table has them on other lines.
  std::vector<std::uint32_t> sites{};
  bool of_product = false;  // 64 bits: the operands of the first site are a 64-bit product
  unsigned quotients = 1;   // number of quotients with the same divisor
  std::vector<std::uint32_t> instructions{};  // reciprocal, quotient and correction
  // `counted`: the dividend advances by a constant in each iteration of the surrounding loop. The
  // values derived from the result (`following`) could then be counted too, without a division.
  bool counted = false;
  bool by_thread = false;  // `counted`, and the dividend differs between threads
  bool is_signed = false;
  std::vector<std::uint32_t> following{};
};
std::vector<Division> integer_divisions(const Case& c);

// A floating-point division whose divisor was divided by before: in an earlier iteration, if the
// loop does not change the divisor, or by an earlier division. With the divisor's reciprocal
// computed once, the division becomes a multiplication.
struct RepeatedDivision {
  std::uint32_t check = 0;  // FCHK: tests whether the quotient would be exact
  bool in_loop = false;     // in a loop that does not change the divisor
  // The check, the reciprocal, its correction and the correction of the remainder.
  std::vector<std::uint32_t> needless{};
  std::vector<std::uint32_t> products{};  // the quotient and its correction: one of the two stays
};
std::vector<RepeatedDivision> repeated_divisions(const Case& c);

}  // namespace burin::advise
