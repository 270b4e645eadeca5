// Which operands of an instruction are written.
//
//   add.s32 %r1, %r2, %r3                    writes operand 0
//   st.global.u32 [%rd1], %r1                writes none
//   shfl.sync.down.b32 %r1|%p1, %r2, …       writes both registers of operand 0
//   call (%r1), f, (%r2)                     writes those of the first list
#pragma once

#include <functional>

#include "read/ptx/module.h"

namespace burin::read::ptx {

// Calls `visit(operand, is_written)` for each name in the operands, also within addresses and
// vectors; the registers of an address are read, even in a destination.
void visit_names(const Instruction& instruction,
                 const std::function<void(const Operand&, bool)>& visit);

}  // namespace burin::read::ptx
