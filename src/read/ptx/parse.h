// Reads PTX, versions 6.0 to 9.x. Linear in the size of the text.
//
//   parse("…")  →  Error "line 12, column 3: expected ';' after the operands of 'add.s32', not '}'"
#pragma once

#include <string>

#include "base/result.h"
#include "read/ptx/module.h"

namespace burin::read::ptx {

// Text that cannot be PTX gives an Error that names line and column. What an opcode, a modifier or
// a directive means is not checked: those of later versions of PTX are read, too.
Result<Module> parse(std::string text);

}  // namespace burin::read::ptx
