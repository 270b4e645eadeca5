// The flags of a row: the words in brackets after its pipe. What an instruction is, and cannot be
// read from its operands, is said there once and asked through traits.h.
//
//   LDGSTS | lsu[global load store copy async] | …
//   F2I    | xu[f32>int] | …
#pragma once

#include <string_view>

#include "read/isa/form.h"

namespace burin::read::isa {

// Sets what the flags (with blanks between them) say of the form, whose pipe is known already.
// False where a flag is unknown, or contradicts another.
bool read_flags(std::string_view flags, Form& form);

}  // namespace burin::read::isa
