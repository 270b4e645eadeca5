// The return addresses of the calling thread, the innermost first, read with the tables that
// programs carry for exceptions (.eh_frame).
//
// Between the recorder and the program stand frames of the driver, for which there are no such
// tables or wrong ones. There the stack is searched for the next word that can only be a return
// address into the program: behind a call, in a function with a table, whose own caller is found
// with that table. Nothing but the thread's stack is ever read that way, so that a wrong guess
// costs a frame and never a crash.
#pragma once

#include <cstdint>
#include <vector>

namespace burin::gpu {

// Empty where the thread runs on a stack that is not its own, and on processors other than x86-64
// what the C library's backtrace() gives.
std::vector<std::uintptr_t> walk_stack();

}  // namespace burin::gpu
