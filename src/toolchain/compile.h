// Compiles CUDA C++ or PTX to a cubin, with NVIDIA's compilers in a child process.
//
//   Result<Compiled> made = compile({.source = "saxpy.cu", .arch = "sm_90"}, cache);
//   if (!made) …
//   // saxpy.cu: nvcc refused it:
//   //   saxpy.cu(3): error: identifier "x" is undefined
//
// A cubin is cached under the digest of all its inputs: the source, the headers it includes
// (toolkit and system headers are represented by the compiler's own file), the flags, the compiler
// and the working directory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "toolchain/cache.h"

namespace burin::toolchain {

struct CompileRequest {
  enum class Language : std::uint8_t { kCuda, kPtx };

  std::string source;  // path of the source file
  Language language = Language::kCuda;
  std::string arch{};                // "sm_90a"; empty: see default_arch
  std::vector<std::string> flags{};  // for nvcc or ptxas, after burin's own flags
  double limit_seconds = 600;
};

struct Compiled {
  std::vector<std::uint8_t> cubin;
  std::string arch;
  bool cached = false;
};

inline constexpr const char* kDefaultArch = "sm_90";

// The architecture for which PTX is compiled if none is given: kDefaultArch, or the PTX's own
// .target if that is newer or is architecture- or family-specific (sm_90a, sm_100f).
std::string default_arch(Bytes ptx);

// Compiles the request, always with line information. Returns an Error if the compiler is missing,
// rejects the source (with the start of its message) or exceeds the time limit.
Result<Compiled> compile(const CompileRequest& request, const CompileCache& cache);

}  // namespace burin::toolchain
