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

// The path of the library NVRTC: that of the toolkit whose nvcc find_tool() finds, so that both are
// of one version; without nvcc, that of any toolkit, or "libnvrtc.so.13" if only the dynamic linker
// knows where it is.
Result<std::string> find_nvrtc();

// The folders with the headers of the toolkit that a tool or library belongs to: its include folder
// and, since CUDA 13, include/cccl.
std::vector<std::string> toolkit_headers(const std::string& path);

}  // namespace burin::toolchain
