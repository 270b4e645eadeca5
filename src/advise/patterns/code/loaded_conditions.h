// Code that each thread executes a number of times that loaded data decides: behind a test of a
// loaded value, or in a loop whose exit test depends on one. A thread with several elements
// executes it once for each of them.
//
//   is_bound_loaded(c, origins, loop)    true for `while (v > 1)`, where v was loaded
#pragma once

#include <cstdint>

#include "advise/case/case.h"
#include "advise/case/origin.h"

namespace burin::advise {

// Whether the trip count depends on loaded data.
bool is_bound_loaded(const Case& c, const Origins& origins, std::uint32_t loop);

read::InstructionSet under_loaded_condition(const Case& c, const Origins& origins);

// Code that can follow a branch on loaded data, also where both of its ways have joined. Compilers
// do not merge copies of such code.
read::InstructionSet after_loaded_branch(const Case& c, const Origins& origins);

}  // namespace burin::advise
