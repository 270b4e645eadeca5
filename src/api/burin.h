// burin as a C++ library: what is in a binary, how long a launch takes on a GPU, and what to
// change. This header and base/result.h are all that `cmake --install` installs of burin's own
// headers; what is declared here keeps its meaning within a major version.
//
//   find_package(burin REQUIRED)
//   target_link_libraries(app PRIVATE burin::burin)
//
//   #include <burin/burin.h>
//   burin::Result<burin::api::Binary> binary = burin::api::Binary::open("a.out");
//   if (!binary) return fail(binary.error().message);
//   for (const burin::api::Kernel& kernel : binary->kernels()) …
//
//   burin::api::Launch launch{.file = "a.out", .kernel = "saxpy", .grid = "4096", .block = "256",
//                             .arguments = {"i32:1048576", "f32:2", "buf:4M:f32", "buf:4M:f32"},
//                             .machine = "h200"};
//   burin::Result<burin::api::Prediction> prediction = burin::api::predict(launch);
//
// No function throws or prints. All may be called from several threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace burin::api {

// The version of the library, "0.1.0".
std::string_view version();

struct Kernel {
  std::string name;       // as in the symbol table
  std::string demangled;  // as in the source
  std::string arch;       // "sm_90"
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;  // static, per block
  std::uint32_t stack_bytes = 0;   // per thread
  std::uint32_t instructions = 0;  // with padding
};

struct Instruction {
  std::uint32_t offset = 0;  // bytes from the start of the kernel
  std::string control;       // "B0-----:R-:W1:-:S02", as `burin inspect --sass` prints it
  std::string text;          // "LDG.E R3, desc[UR4][R2.64]"
  std::string file;          // of the source; "": unknown
  std::uint32_t line = 0;    // 0: unknown
};

// A cubin, fatbin, executable, object or library; CUDA source is compiled if nvcc is installed.
class Binary {
 public:
  static Result<Binary> open(const std::string& file);

  const std::vector<Kernel>& kernels() const { return kernels_; }

  // Returns the code of one of kernels().
  Result<std::vector<Instruction>> decode(const Kernel& kernel) const;

 private:
  std::string file_;
  std::vector<Kernel> kernels_;
};

// A launch, with the texts of the command line; docs/arguments.md is their grammar.
struct Launch {
  std::string file{};    // as for Binary::open(), or CAPTURE:LAUNCH
  std::string kernel{};  // its name or a part of it; "": the file has only one
  std::string grid{}, block{};
  std::string shared_bytes{};             // dynamic, per block
  std::vector<std::string> arguments{};   // "i32:5", "buf:64K:f32" …
  std::string machine{};                  // "": the default for the kernel's architecture
  bool warm = false;                      // buffers are in the L2 cache, as far as they fit
  std::vector<std::string> nvcc_flags{};  // for CUDA source
};

struct Share {
  std::string name;
  double share = 0;  // 0 … 1
};

struct Prediction {
  std::string machine;
  double time_us = 0;
  double low_us = 0, high_us = 0;  // 80 % of launches of this kind lie between them
  std::string defer{};             // why it should be measured instead; "": no need
  double occupancy = 0;            // resident warps of an SM, as a share of the maximum
  std::vector<Share> busy{};       // resources, busiest first
  std::vector<Share> stalls{};     // of the warps' time, largest first
};

Result<Prediction> predict(const Launch& launch);

struct Finding {
  std::string rule;    // "bank-conflicts"
  double speedup = 1;  // estimated
  std::string file{};  // of the source; "": the whole launch
  std::uint32_t line = 0;
  std::string text{};  // what was found
  std::string hint{};  // what to change
};

struct Advice {
  Prediction prediction;
  std::vector<Finding> findings;  // largest speedup first
};

Result<Advice> advise(const Launch& launch);

}  // namespace burin::api
