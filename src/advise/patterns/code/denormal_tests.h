// Code that the compiler adds around fast functions for denormal operands: a comparison with the
// smallest normal number, a scaling before MUFU, and a scaling of the result.
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// The comparisons, and the products that they guard.
read::InstructionSet denormal_tests(const Case& c);

}  // namespace burin::advise
