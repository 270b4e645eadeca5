// Runs nvcc or ptxas as a child process.
//
// nvcc neither instantiates templates on demand nor tells mangled names. For name expressions it
// compiles a file like this one, whose PTX has the names:
//
//   #include "/home/me/transpose.cu"
//   extern "C" __device__ auto burin_instance_0 = &transpose<4>;
//
//   .visible .global .align 8 .u64 burin_instance_0 = _Z9transposeILi4EEvPf;
//
// The variables are removed before ptxas runs: a kernel whose address is taken gets other registers
// than one that is only launched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/compile.h"

namespace burin::toolchain {

struct NvccOutput {
  std::vector<std::uint8_t> code;  // cubin or PTX
  std::string dependencies{};      // as make would read them; empty for PTX sources
  std::vector<std::string> lowered_names{};
};

// `tool` is the path of nvcc, or of ptxas for a PTX source. The time limit is the request's, of
// which `used_seconds` have passed.
TimedResult<NvccOutput> run_nvcc(const CompileRequest& request, const std::string& arch,
                                 const std::string& tool, double used_seconds = 0);

// A compiler's first words about what is wrong, at most three lines, each after "\n  ".
std::string first_errors(const std::string& log);

// The names in the PTX of the file above, and its text without the variables. nullopt if one of
// them is missing.
struct InstanceNames {
  std::vector<std::string> names;
  std::string ptx;
};
std::optional<InstanceNames> take_instances(const std::string& ptx, std::size_t count);

}  // namespace burin::toolchain
