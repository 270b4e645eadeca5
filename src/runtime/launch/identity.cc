#include "runtime/launch/identity.h"

#include <algorithm>

namespace burin::runtime {
namespace {

std::string layout_of(const std::vector<formula::Parameter>& parameters) {
  std::string text;
  for (const formula::Parameter& parameter : parameters) {
    if (!text.empty()) text += ' ';
    text += std::to_string(parameter.offset) + ":" + std::to_string(parameter.bytes);
  }
  return text.empty() ? "none" : text;
}

std::string another_build(const char* what, std::uint32_t expected, std::uint32_t found) {
  return "made for another build: " + std::to_string(expected) + " " + what + ", the kernel has " +
         std::to_string(found);
}

}  // namespace

std::string mismatch(const formula::RationalProgram& program, const KernelFacts& kernel) {
  if (program.proof == formula::RationalProgram::Proof::kNone) {
    return "no proof that the block may change";
  }
  for (const std::uint32_t size : program.required_block) {
    if (size != 0) return "the kernel requires its block size";
  }
  if (program.grid.empty()) return "no expression for the grid";
  if (kernel.needs_cluster) return "the kernel is launched in clusters";

  const bool code_known = program.code != "-";
  const bool code_equal = code_known && std::find(kernel.code.begin(), kernel.code.end(),
                                                  program.code) != kernel.code.end();
  if (code_known && kernel.code_complete && !code_equal) {
    return "made for another build: the kernel's code differs";
  }
  if (kernel.parameters_known) {
    const bool equal = std::equal(
        program.parameters.begin(), program.parameters.end(), kernel.parameters.begin(),
        kernel.parameters.end(),
        [](const auto& a, const auto& b) { return a.offset == b.offset && a.bytes == b.bytes; });
    if (!equal) {
      return "made for another build: parameters " + layout_of(program.parameters) +
             ", the kernel has " + layout_of(kernel.parameters);
    }
  } else if (!code_equal) {
    return "the driver does not tell the kernel's parameters (CUDA 12.4 or newer does)";
  }
  if (program.registers != 0 && program.registers != kernel.registers) {
    return another_build("registers", program.registers, kernel.registers);
  }
  if (program.shared != kernel.shared) {
    return another_build("bytes of shared memory", program.shared, kernel.shared);
  }
  return "";
}

}  // namespace burin::runtime
