// Calls of CUDA's precise single-precision functions. The compiler inlines them, so they are
// recognised by something that only they contain: a constant, an instruction, a call to a slow
// path.
//
//   for (const MathCall& call : math_calls(c)) …     // {"expf", "__expf", 0x120, 8, 10, 2, 3, 1}
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

struct MathCall {
  std::string_view name;  // "expf"; "/" for a division
  std::string_view fast;  // "__expf", or the flag that makes it fast: "-prec-sqrt=false"
  std::uint32_t at = 0;   // the instruction that identifies the function
  unsigned precise = 0;   // minimum number of instructions of the precise form, on its usual path
  unsigned most = 0;      // maximum number: the compiler may exclude some cases
  unsigned quick = 0;     // instructions of the fast form
  unsigned scaling = 0;   // … and more of it, unless denormals are flushed to zero
  unsigned special = 0;   // instructions of the fast form that run on the special function unit
};
std::vector<MathCall> math_calls(const Case& c);

}  // namespace burin::advise
