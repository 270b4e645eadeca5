// Where NVIDIA's compilers stand on this computer.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace burin::toolchain {

// The folders that may hold a CUDA toolkit, the user's own choice first: $CUDA_HOME, $CUDA_PATH,
// the one whose nvcc is in PATH, /usr/local/cuda, then /usr/local/cuda-*, the newest first.
std::vector<std::string> toolkit_roots();

// "nvcc" -> "/usr/local/cuda/bin/nvcc"; the Error says where it was looked for.
Result<std::string> find_tool(const std::string& name);

}  // namespace burin::toolchain
