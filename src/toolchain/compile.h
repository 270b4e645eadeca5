// Compiles CUDA C++ or PTX with NVIDIA's compilers: nvcc and ptxas in a child process, or the
// library NVRTC, which takes a tenth of nvcc's time for a small kernel.
//
//   CompileResult made = compile({.source = "saxpy.cu", .arch = "sm_90"}, cache);
//   if (!made) …
//   // saxpy.cu: nvcc failed:
//   //   saxpy.cu(3): error: identifier "x" is undefined
//
// One configuration of a kernel with tunable parameters:
//
//   compile({.source = "transpose.cu", .defines = {"TILE=32"}, .compiler = Compiler::kAuto,
//            .name_expressions = {"transpose<4>"}}, cache)->lowered_names
//       == {"_Z9transposeILi4EEvPf"}
//
// A result is cached under the digest of all its inputs: the source, the headers it includes
// (toolkit and system headers are represented by the compiler's own file), the options, the
// compiler and the working directory. pool.h compiles many requests at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "toolchain/cache.h"
#include "toolchain/timed_result.h"

namespace burin::toolchain {

// kAuto: NVRTC where it is installed and accepts the source, else nvcc. NVRTC rejects host code and
// some headers of the host; that it does is remembered for each source.
enum class Compiler : std::uint8_t { kAuto, kNvcc, kNvrtc };

struct CompileRequest {
  enum class Language : std::uint8_t { kCuda, kPtx };
  enum class Output : std::uint8_t { kCubin, kPtx };

  std::string source;  // path of the source file
  Language language = Language::kCuda;
  std::string arch{};                // "sm_90a"; empty: see default_arch
  std::vector<std::string> flags{};  // for nvcc or ptxas, after burin's own flags
  double limit_seconds = 600;
  std::vector<std::string> defines{};  // macros: "TILE=32"
  unsigned max_registers = 0;          // per thread; 0: no limit. PTX does not hold it
  Output output = Output::kCubin;
  // A kernel that is predicted or explained is compiled as an application is, hence nvcc. Tuning
  // asks for kAuto.
  Compiler compiler = Compiler::kNvcc;
  // Kernels whose names in the result are wanted, as C++ writes them: "transpose<4>", "ns::sum".
  // Templates are instantiated.
  std::vector<std::string> name_expressions{};
};

struct Compiled {
  std::vector<std::uint8_t> cubin;  // empty if PTX was asked for
  std::string arch;
  bool cached = false;
  double seconds = 0;  // it took to compile, or to find it in the cache
  std::string ptx{};
  std::vector<std::string> lowered_names{};  // one for each of the request's name_expressions
  Compiler compiler = Compiler::kNvcc;       // which made it: kNvcc (also for ptxas) or kNvrtc
};

using CompileResult = TimedResult<Compiled>;

inline constexpr const char* kDefaultArch = "sm_90";

// The architecture for which PTX is compiled if none is given: kDefaultArch, or the PTX's own
// .target if that is newer or is architecture- or family-specific (sm_90a, sm_100f).
std::string default_arch(Bytes ptx);

// Compiles the request, always with line information. Returns an Error if the compiler is missing,
// rejects the source (with the start of its message), exceeds the time limit (timed_out()) or
// crashes.
CompileResult compile(const CompileRequest& request, const CompileCache& cache);

}  // namespace burin::toolchain
