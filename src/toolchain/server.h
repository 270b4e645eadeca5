// What a compiler process does: `burin compiler`, started by CompilePool.
#pragma once

#include "base/result.h"

namespace burin::toolchain {

// Reads orders from standard input and answers each on standard output (message.h), until the input
// ends. When the other end of the input is closed during a compilation, nvcc and its children are
// killed, and this process ends within a second. What libraries print goes nowhere.
Result<void> serve_compilations();

}  // namespace burin::toolchain
