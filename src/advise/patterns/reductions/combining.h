// The code with which a block combines its threads' values at its end: a tree in shared memory, or
// shuffles and a second round over the warps' sums.
//
//   const read::InstructionSet combining = combining_code(c, origins);
//   rework(c, streamed(c, combining, atomics, 0.01, 0.001)).time_us
//                                                            with a hundredth of the blocks
#pragma once

#include <cstdint>
#include <string_view>

#include "advise/case/case.h"
#include "advise/case/origin.h"
#include "advise/case/rework.h"

namespace burin::advise {

// Returns the instructions after the barrier from which on nothing is loaded from global memory,
// and loaded values are only added, compared and moved between threads. A block with more elements
// still executes them once. Empty if the block stores results there other than by atomics, or by
// one of its threads if that is allowed.
enum class Results : std::uint8_t { kByAtomics, kByOneThread };
read::InstructionSet combining_code(const Case& c, const Origins& origins,
                                    Results results = Results::kByAtomics);

// Whether the combining code only does what the atomic that follows it does, so that threads may
// merge elements before it: only additions of loaded values before an atomicAdd, only minima before
// an atomicMin.
bool combines_as(const Case& c, const Origins& origins, const read::InstructionSet& combining,
                 std::string_view operation);

// Elements per 16-byte load, for the array with the widest elements.
double elements_at_once(const Case& c);

// The work of the launch with the fraction `fewer` of its blocks, whose threads add up many
// elements each in registers, loaded 16 bytes at a time: `combining` and the `updates` of global
// memory are executed once per block, and `atomics` of the atomics' work in L2 remains. Needs a
// study.
Work streamed(const Case& c, const read::InstructionSet& combining,
              const read::InstructionSet& updates, double fewer, double atomics);

}  // namespace burin::advise
