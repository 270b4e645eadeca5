// Whether a rational program was made for this kernel, and whether it allows changing its launches.
#pragma once

#include <string>

#include "formula/rational/rational_program.h"
#include "runtime/launch/cuda_api.h"

namespace burin::runtime {

// Why launches of the kernel must not be changed by the program: "made for another build: 12
// registers, the kernel has 16". "" if they may. The names are equal already.
std::string mismatch(const formula::RationalProgram& program, const KernelFacts& kernel);

}  // namespace burin::runtime
