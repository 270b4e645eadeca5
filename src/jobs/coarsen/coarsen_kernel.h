// `burin coarsen`: a kernel with fewer, fatter threads, its registers and predicted time beside
// those of the original, and on request the proof that both give the same results.
//
//   Result<CoarsenedKernel> made = coarsen_kernel(request, progress);
//   made->after.registers, made->check->equal()
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "coarsen/coarsen.h"
#include "emulate/outputs.h"
#include "jobs/input/launch_request.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

struct CoarsenRequest {
  LaunchRequest launch{};
  std::vector<coarsen::Coarsening> coarsenings{};
  std::string machine{};  // "": the default for the architecture
  std::string output{};   // path of the PTX or OpenCL C; "": not written
  bool check = false;     // execute both kernels and compare their buffers
  bool best = false;      // choose the coarsening by predicted time
  bool force = false;
};

// One of the two kernels, compiled.
struct CompiledVersion {
  coarsen::LaunchShape launch{};
  std::uint32_t registers = 0;           // per thread
  std::uint32_t local_bytes = 0;         // per thread: spills and local arrays
  std::uint32_t static_shared = 0;       // per block
  std::optional<double> predicted_us{};  // with --arg
};

struct CoarsenCheck {
  // Each buffer argument, compared after both kernels were compiled with -fmad=false; see docs.
  std::vector<emulate::CheckedOutput> outputs{};
  // The same, compiled as usual: ptxas may fuse a multiplication and an addition in one of them
  // only.
  std::vector<emulate::CheckedOutput> as_compiled{};
  bool float_atomics = false;  // sums in memory, whose order is free: compared within a tolerance

  bool equal() const;
  bool rounds_alike() const;
  std::uint64_t compared_bytes() const;
};

// A coarsening that --best predicted.
struct CoarsenCandidate {
  std::vector<coarsen::Coarsening> coarsenings{};
  std::optional<double> predicted_us{};
  std::string refused{};  // why there is no prediction
};

struct CoarsenedKernel {
  std::string kernel{};  // demangled
  std::string machine{};
  std::vector<coarsen::Coarsening> coarsenings{};  // those that were applied
  CompiledVersion before{};
  CompiledVersion after{};
  bool specialised_grid = false;
  bool is_opencl = false;
  bool compiled = false;  // false: no ptxas on this computer, so that registers are not known
  std::string text{};     // PTX, or OpenCL C
  std::optional<CoarsenCheck> check{};
  std::vector<CoarsenCandidate> candidates{};  // of --best
};

// Parses "x=4", "y=2,stride=32".
Result<coarsen::Coarsening> parse_coarsening(coarsen::Level level, const std::string& text);

Result<CoarsenedKernel> coarsen_kernel(const CoarsenRequest& request, const Progress& progress);

}  // namespace burin::jobs
