// Code that the compiler adds around fast functions for denormal operands and results: a comparison
// with the smallest normal number (for exp2f: with its exponent), a scaling before MUFU, and a
// scaling of the result.
#pragma once

#include <utility>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

// The comparisons, and the products that they guard.
read::InstructionSet denormal_tests(const Case& c);

// An instruction on each source line with such tests, and the warp instructions that they issue on
// it: most first.
std::vector<std::pair<std::uint32_t, double>> lines_of_tests(const Case& c,
                                                             const read::InstructionSet& tests);

// Whether flushing denormals removes more instructions than replacing the precise math functions by
// fast ones: then --use_fast_math gains mainly by the former.
bool gains_by_flushing(const Case& c, const read::InstructionSet& tests);

}  // namespace burin::advise
