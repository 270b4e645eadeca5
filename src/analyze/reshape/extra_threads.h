// What threads at some positions may execute: whether the threads that another block shape adds
// leave the kernel before they do anything.
//
//   Positions beyond = values.positions();
//   beyond.position[0].first = 1000;             // the 1000 threads along x are those it had
//   first_effect(kernel, values, beyond)         kNoIndex: `if (i >= n) return;` stops them all
//
// Conditions are evaluated over all the positions at once; one that may be true or false is
// followed both ways.
#pragma once

#include <cstdint>

#include "analyze/reshape/thread_values.h"

namespace burin::analyze {

// Returns the first instruction in code order that one of the threads may execute and that another
// thread, or the user, could notice: an access to global or shared memory, a barrier, a trap, a
// loop, which might not end. kNoIndex: there is none.
std::uint32_t first_effect(const read::Kernel& kernel, const ThreadValues& values,
                           const Positions& threads);

}  // namespace burin::analyze
