// The names under which compilations are cached: digests of all inputs.
#pragma once

#include <string>
#include <vector>

#include "toolchain/compile.h"

namespace burin::toolchain {

// Two compilers with one identity are taken to give the same code: their real path, size and time.
std::string identity_of(const std::string& tool);

// Of a list of texts, in which the borders between the texts count.
std::string digest_of_parts(const std::vector<std::string>& parts);

// All inputs of a compilation but its headers. `tool` is the path of nvcc, ptxas or NVRTC.
std::string request_digest(const CompileRequest& request, const std::string& arch,
                           const std::string& tool);

}  // namespace burin::toolchain
