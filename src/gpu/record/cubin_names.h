// The names in a cubin that the recorder needs while the program runs. Both functions return an
// empty list if the bytes are not an ELF file or are damaged.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"

namespace burin::gpu {

// The names of the functions with code.
std::vector<std::string> function_names(Bytes cubin);

// The names of the variables: `__constant__`, and with `device` also `__device__`.
std::vector<std::string> variable_names(Bytes cubin, bool device);

}  // namespace burin::gpu
