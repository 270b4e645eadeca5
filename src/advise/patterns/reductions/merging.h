// Atomics whose updates can be merged before they reach memory: a block combines its own updates in
// a copy of the word, and updates the word once with the result.
//
//   const Merging* merging = merging_of(c.at(i));   // REDG.E.MAX.S32
//   merging->call       "atomicMax": also merges the copies
//   merging->start      "the smallest value of their type": what a copy starts from
#pragma once

#include <string_view>

#include "read/isa/instruction.h"

namespace burin::advise {

struct Merging {
  std::string_view operation;  // as instructions name it
  std::string_view call;       // as CUDA C++ names it
  std::string_view start;
  bool adds() const { return operation == "ADD"; }
};

// Null for exchanges, compare-and-swap and counters that wrap around: their order matters.
const Merging* merging_of(const read::Instruction& instruction);

}  // namespace burin::advise
