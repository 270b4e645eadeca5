// Declares one function for each built-in rule; each rule is implemented in the file of its name.
#pragma once

#include "advise/case/rule.h"

namespace burin::advise {

#define BURIN_RULE(name) const Rule* name();
#include "advise/rules/all.def"
#undef BURIN_RULE

std::span<const Rule* const> rules();  // the built-in rules, in the order of docs/advise.md

}  // namespace burin::advise
