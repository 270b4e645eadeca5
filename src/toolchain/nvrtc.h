// NVRTC, NVIDIA's compiler as a library, opened at run time: burin is built without it.
//
//   Result<Nvrtc> nvrtc = Nvrtc::open("/usr/local/cuda/lib64/libnvrtc.so.13");
//   NvrtcAnswer made = nvrtc->compile({.text = "template <int N> __global__ void k(int* a) {…}",
//                                      .name = "k.cu", .options = {"-arch=sm_90"},
//                                      .name_expressions = {"k<4>"}});
//   if (made.ok) use(made.code, made.lowered_names);   // "_Z1kILi4EEvPi"
//
// It compiles in this process, without a time limit, and a crash of it is one of this process.
// Compilations of several threads hardly overlap; those of several processes do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/compile.h"

namespace burin::toolchain {

struct NvrtcJob {
  std::string text;  // the source itself
  std::string name;  // its path: quoted headers are searched next to it
  std::vector<std::string> options;
  std::vector<std::string> name_expressions{};
  CompileRequest::Output output = CompileRequest::Output::kCubin;
};

struct NvrtcAnswer {
  bool ok = false;
  std::string log{};  // why it is not ok
  std::vector<std::uint8_t> code{};
  std::vector<std::string> lowered_names{};
};

class Nvrtc {
 public:
  static Result<Nvrtc> open(const std::string& path);

  NvrtcAnswer compile(const NvrtcJob& job) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
};

// The request's flags for nvcc as NVRTC takes them: those that concern host code alone (-O3,
// -Xcompiler) are dropped. nullopt if NVRTC may not understand one of them.
struct NvrtcFlags {
  std::vector<std::string> options;
  std::vector<std::string> include_folders;  // of -I, also among the options
};
std::optional<NvrtcFlags> nvrtc_flags(const std::vector<std::string>& flags);

// Headers of the host that kernels often include, and of which they use types and constants only:
// stdint.h, stddef.h, limits.h, float.h, stdio.h and the like, with their C++ forms. NVRTC knows
// printf(), assert() and the mathematical functions without any header.
struct HostHeader {
  const char* name;
  const char* text;
};
const std::vector<HostHeader>& host_headers();

}  // namespace burin::toolchain
