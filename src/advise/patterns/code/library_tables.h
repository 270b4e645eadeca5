// Loads of constant tables that the math library brings along: the coefficients of sin() and cos().
// They are in no array of the user's.
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// The loads whose address comes from the module's own variables and from no pointer among the
// kernel's arguments, if the module has no variables of the user's.
read::InstructionSet library_tables(const Case& c);

}  // namespace burin::advise
