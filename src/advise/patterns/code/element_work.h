// What a thread with several elements along x still does for each of them.
//
//   const read::InstructionSet own = work_of_each_element(c, origins, read::kNoIndex);
//   own[i] != 0      four pixels per thread: executed four times
#pragma once

#include "advise/case/case.h"
#include "advise/case/origin.h"

namespace burin::advise {

// Returns the instructions that compute stored values from the thread's x, and the loops that do so
// or whose end depends on x. Index arithmetic is not among them, nor is the loop that goes on along
// x (kNoIndex: there is none). What depends on loaded values is not looked at.
read::InstructionSet work_of_each_element(const Case& c, const Origins& origins,
                                          std::uint32_t along_x);

}  // namespace burin::advise
