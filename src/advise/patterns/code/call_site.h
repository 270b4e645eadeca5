// The cost of a call to a local function at the call site.
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// Returns true for a move between registers, or of an immediate into a register.
bool is_move(const read::Instruction& instruction);

// Marks the call at the end of a block and the surrounding moves that pass its arguments, set the
// return address and fetch its result. In a loop, also marks constants that are reloaded around the
// call, because a call may overwrite the registers that would hold them.
void mark_call(const Case& c, const read::BasicBlock& block, read::InstructionSet& set);

}  // namespace burin::advise
