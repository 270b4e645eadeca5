// Instructions to basic blocks and edges.
#pragma once

#include <cstdint>
#include <optional>

#include "read/program/kernel.h"
#include "read/program/predicates.h"

namespace burin::read {

// When a control instruction does what its name says. Beside the guard, a branch may test a
// predicate operand (`BRA.U UP0, …`) or something that is no predicate (`BRA.DIV`).
struct Condition {
  bool never = false;
  bool always = false;
  Literals if_taken = 0;      // literals that hold where it is taken …
  Literals if_not_taken = 0;  // … and where it is not
};
Condition condition_of(const Instruction& instruction);

// True for a branch, call, return or exit that is ever taken.
bool ends_block(const Instruction& instruction);

// Fills blocks (without dominators and loops), block_of and entries from the instructions and the
// function's indirect branches, relocations and labels. Linear in the code.
void build_blocks(Kernel& kernel);

}  // namespace burin::read
