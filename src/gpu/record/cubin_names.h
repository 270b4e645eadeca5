// The names in a cubin that the recorder needs while the program runs. Both functions return an
// empty list if the bytes are not an ELF file or are damaged.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"

namespace burin::gpu {

// The names of the functions with code.
std::vector<std::string> function_names(Bytes cubin);

// The names of the variables: `__device__` and `__constant__`.
std::vector<std::string> variable_names(Bytes cubin);

}  // namespace burin::gpu
