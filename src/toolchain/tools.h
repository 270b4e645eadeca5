// Finds NVIDIA's compilers on this computer.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace burin::toolchain {

// The folders that may contain a CUDA toolkit, the user's choice first: $CUDA_HOME, $CUDA_PATH, the
// toolkit whose nvcc is in PATH, /usr/local/cuda, then /usr/local/cuda-*, newest first.
std::vector<std::string> toolkit_roots();

// The path of a tool: "nvcc" -> "/usr/local/cuda/bin/nvcc". The Error lists where it was searched.
Result<std::string> find_tool(const std::string& name);

}  // namespace burin::toolchain
