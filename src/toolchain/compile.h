// CUDA C++ or PTX to a cubin, by NVIDIA's own compilers in a child process.
//
//   Result<Compiled> made = compile({.source = "saxpy.cu", .arch = "sm_90"}, cache);
//   if (!made) …   // "saxpy.cu: nvcc refused it:\n  saxpy.cu(3): error: identifier "x" is
//   undefined"
//
// A cubin is kept under the digest of all that went into it: the source, the headers it included
// (those of the toolkit and the system count by the compiler's own file), the flags, the compiler,
// the working directory.
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

  std::string source;  // the file
  Language language = Language::kCuda;
  std::string arch{};                // "sm_90a"; empty: default_arch
  std::vector<std::string> flags{};  // for nvcc or ptxas, behind burin's own
  double limit_seconds = 600;
};

struct Compiled {
  std::vector<std::uint8_t> cubin;
  std::string arch;
  bool cached = false;
};

inline constexpr const char* kDefaultArch = "sm_90";

// What PTX is compiled for where nobody says: kDefaultArch, but the PTX's own .target where that is
// newer, or means one chip or family (sm_90a, sm_100f).
std::string default_arch(Bytes ptx);

// Line information is always made. An Error where the compiler is missing, refuses the source (with
// its first words about it) or takes longer than the limit.
Result<Compiled> compile(const CompileRequest& request, const CompileCache& cache);

}  // namespace burin::toolchain
