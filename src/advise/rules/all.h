// Every rule of burin's own is a function here; the rule itself lives in the file of its name.
#pragma once

#include "advise/case/rule.h"

namespace burin::advise {

#define BURIN_RULE(name) const Rule* name();
#include "advise/rules/all.def"
#undef BURIN_RULE

std::span<const Rule* const> rules();  // burin's own, in the order of docs/advise.md

}  // namespace burin::advise
