// Returns of some threads of a block, which a change with a new __syncthreads() must turn into
// conditions.
//
//   early_return_text(c, origins)   " Threads that return at a.cu:30 would not reach the new
//                                   __syncthreads(): make it a condition around their work."
#pragma once

#include <string>

#include "advise/case/case.h"
#include "advise/case/origin.h"

namespace burin::advise {

// A sentence after a space; empty if all threads of a block return together, or only at the end. A
// return counts if a condition on the thread's index decides it and its source line, where there is
// one, has a return.
std::string early_return_text(const Case& c, const Origins& origins);

}  // namespace burin::advise
