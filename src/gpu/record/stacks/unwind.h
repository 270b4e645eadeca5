// Walks the stack of the calling thread and returns its return addresses, innermost first, using
// the unwind tables that programs contain for exceptions (.eh_frame).
//
// Between the recorder and the program are frames of the driver, whose unwind tables are missing or
// wrong. There, the stack is searched for the next word that must be a return address into the
// program: it directly follows a call, in a function with an unwind table, and that table leads to
// a valid caller. Only the thread's own stack is read in this search, so a wrong guess loses a
// frame but never causes a crash.
#pragma once

#include <cstdint>
#include <vector>

namespace burin::gpu {

// The return addresses. Empty if the thread runs on a stack that is not its own. On processors
// other than x86-64, the result of the C library's backtrace().
std::vector<std::uintptr_t> walk_stack();

}  // namespace burin::gpu
