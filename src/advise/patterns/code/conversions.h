// Type conversions that the source can do without: of a value that the loop around them does not
// change, and of a value that is converted back at once. The position that becomes an index in each
// iteration and the rounding inside sin or exp are needed, and are left out.
//
//   for (std::uint32_t i …) if (needless_conversions(c)[i] != 0) …
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// Conversions between integers and floats, or between formats of one of them. Conversions between
// floats and doubles belong to the rule `precision` and are not included.
read::InstructionSet needless_conversions(const Case& c);

}  // namespace burin::advise
