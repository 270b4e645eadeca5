// Calls of CUDA's precise single-precision functions. The compiler puts their bodies in place, so
// they are known by what only they contain: a constant, an instruction, a call of a slow path.
//
//   for (const MathCall& call : math_calls(c)) …     // {"expf", "__expf", 0x120, 8, 10, 2, 1}
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

struct MathCall {
  std::string_view name;  // "expf"; "/" for a division
  std::string_view fast;  // "__expf"
  std::uint32_t at = 0;   // the instruction that gives it away
  unsigned precise = 0;   // instructions of the precise form, its usual path: at least
  unsigned most = 0;      // … and at most: the compiler may know that some cases do not occur
  unsigned quick = 0;     // … of the fast one
  unsigned special = 0;   // … of those, that the special function unit does
};
std::vector<MathCall> math_calls(const Case& c);

}  // namespace burin::advise
