// The flags of a table row: the words in brackets after its pipe. They state the properties of an
// instruction that its operands do not show; traits.h queries them.
//
//   LDGSTS | lsu[global load store copy async] | …
//   F2I    | xu[f32>int] | …
#pragma once

#include <string_view>

#include "read/isa/form.h"

namespace burin::read::isa {

// Applies the flags (separated by spaces) to `form`, whose pipe must already be set. Returns false
// if a flag is unknown or contradicts another flag.
bool read_flags(std::string_view flags, Form& form);

}  // namespace burin::read::isa
