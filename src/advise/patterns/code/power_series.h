// Loops that sum the terms of a polynomial with the powers of a value computed beside the sum:
// sum += c[k] * power; power *= x. Horner's rule needs no powers.
//
//   for (const PowerSeries& series : power_series(c)) …
//     series.powers[i]      instruction i computes the next power
//     series.loop           the loop
#pragma once

#include <cstdint>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

struct PowerSeries {
  std::uint32_t loop = read::kNoIndex;
  read::InstructionSet powers{};
};
std::vector<PowerSeries> power_series(const Case& c);

}  // namespace burin::advise
