// Builds basic blocks and their edges from the instructions.
#pragma once

#include <cstdint>
#include <optional>

#include "read/program/kernel.h"
#include "read/program/predicates.h"

namespace burin::read {

// The condition under which a control instruction is taken. Besides the guard, a branch may test a
// predicate operand (`BRA.U UP0, …`) or a condition that is not a predicate (`BRA.DIV`).
struct Condition {
  bool never = false;
  bool always = false;
  Literals if_taken = 0;      // literals that hold if it is taken
  Literals if_not_taken = 0;  // literals that hold if it is not taken
};
Condition condition_of(const Instruction& instruction);

// True for a branch, call, return or exit that can be taken.
bool ends_block(const Instruction& instruction);

// Fills `blocks` (except dominators and loops), `block_of` and `entries` from the instructions and
// from the function's indirect branches, relocations and labels. Linear in the size of the code.
void build_blocks(Kernel& kernel);

}  // namespace burin::read
