// The CUDA vector types with which a thread loads 16 bytes of its elements at a time.
//
//   wide_loads_clause(c)     ", 16 bytes at a time, as double2": threads load doubles side by side
#pragma once

#include <string>

#include "advise/case/case.h"

namespace burin::advise {

// The plain global loads of elements that adjacent lanes have side by side, outside of loops.
read::InstructionSet streaming_loads(const Case& c);  // needs a study

// By the width of the loads and the arithmetic on their values: "float4", "double2". Empty for
// loads of 16 bytes, and for elements of 1 or 2 bytes, whose type is not known.
std::string wide_types(const Case& c, const read::InstructionSet& loads);

// What to say of the elements that a thread takes in a grid-stride loop. Empty if the kernel has no
// streaming loads, or if they are so small a part of it that their width does not matter.
std::string wide_loads_clause(const Case& c);

}  // namespace burin::advise
