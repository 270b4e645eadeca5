// Which values, operations and branches of a function may differ between copies of it: between
// threads, or between blocks, whichever the sources say.
//
//   find_divergence(flow, [](const Operation& o) { return reads_special(o, "%tid.x"); })
//
//   mov.u32 %r1, %tid.x;          differs: a source
//   setp.ge.s32 %p1, %r1, %r9;    differs: reads %r1
//   @%p1 bra $L2;                 differs: its region is entered by some copies and not by others
//   add.s32 %r5, %r5, 1;          is the same in the copies that execute it …
//   $L2: add.s32 %r6, %r5, 0;     … but not here, where they meet those that did not
//
// The analysis follows the flow: a register is asked for at a point. It assumes that copies which
// take the same way stay together, so that paths of one region that meet before its end are not a
// reason to differ.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "read/ptx/flow.h"

namespace burin::read::ptx {

struct Divergence {
  std::vector<bool> operations;  // per operation: its results or effects may differ
  RegisterSet registers;         // those that differ at any point where they are live
  // Per block whose branch may differ: the region of that branch.
  std::map<std::uint32_t, std::vector<std::uint32_t>> branches;
};

// `is_source`: the results of an operation differ, whatever it reads.
Divergence find_divergence(const Flow& flow,
                           const std::function<bool(const Operation&)>& is_source);

// The registers that operations of these blocks write.
RegisterSet written_in(const Body& body, const std::vector<std::uint32_t>& blocks);

}  // namespace burin::read::ptx
