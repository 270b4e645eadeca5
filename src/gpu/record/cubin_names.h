// The names in a cubin that the recorder needs while the program runs. Both give nothing where the
// bytes are no ELF file, or a damaged one.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"

namespace burin::gpu {

// Of the functions with code.
std::vector<std::string> function_names(Bytes cubin);

// Of the variables: `__device__` and `__constant__`.
std::vector<std::string> variable_names(Bytes cubin);

}  // namespace burin::gpu
