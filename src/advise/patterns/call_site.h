// What a call of a local function takes where it stands.
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// From register to register, or a number into one.
bool is_move(const read::Instruction& instruction);

// Marks the call at the end of a block, and the moves around it that bring its arguments, say where
// to go back to and fetch its result. In a loop, constants that are fetched around it too: a call
// may change the registers that would keep them.
void mark_call(const Case& c, const read::BasicBlock& block, read::InstructionSet& set);

}  // namespace burin::advise
