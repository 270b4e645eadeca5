// Whether a loop runs for a number of iterations that is a constant in the code, so that the
// compiler can unroll it completely.
#pragma once

#include <cstdint>

#include "advise/case/case.h"

namespace burin::advise {

// Whether everything that ends the loop follows from constants: no argument, coordinate or loaded
// value. Values of local memory do not count: the loop can run on where they would end it.
bool has_constant_trips(const Case& c, std::uint32_t loop);

}  // namespace burin::advise
