// Finds code that a change makes dead, as a compiler would.
//
//   InstructionSet gone = …;                     // branches that are not needed
//   add_dead_code(kernel, gone);                  // adds their tests and the loads for the tests
#pragma once

#include <functional>

#include "read/program/instruction_set.h"
#include "read/program/kernel.h"

namespace burin::advise {

// Returns whether the consumer still needs the value once the instructions in `gone` are removed.
using NeedsValue = std::function<bool(const read::Dependence&)>;

// Adds to `gone` the instructions that compute or load values no longer needed, directly or
// indirectly, and the reconvergence points of lanes that only branches in `gone` had diverged. The
// kernel must have dependences. By default every instruction not in `gone` needs what it reads.
void add_dead_code(const read::Kernel& kernel, read::InstructionSet& gone,
                   const NeedsValue& wants = {});

}  // namespace burin::advise
