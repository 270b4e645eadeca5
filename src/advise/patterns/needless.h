// Code that a change leaves without a purpose, as a compiler would find it.
//
//   InstructionSet gone = …;                     // branches that are not needed
//   add_needless(kernel, gone);                  // and the tests, and what was loaded for them
#pragma once

#include <functional>

#include "read/program/instruction_set.h"
#include "read/program/kernel.h"

namespace burin::advise {

// Whether the consumer wants the value still, once `gone` is gone.
using Wants = std::function<bool(const read::Dependence&)>;

// Adds to `gone` what computes or loads values that nobody wants any more, directly or not, and
// the places where lanes meet that only branches in `gone` had parted. The kernel has dependences.
// By default all that is not gone wants what it reads.
void add_needless(const read::Kernel& kernel, read::InstructionSet& gone, const Wants& wants = {});

}  // namespace burin::advise
