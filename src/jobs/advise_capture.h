// What a capture, or a report of Nsight Compute, has to advise on: a list of launches, the kernel
// with the most time first.
#pragma once

#include <string>
#include <vector>

#include "capture/capture.h"
#include "jobs/advise_launch.h"

namespace burin::jobs {

struct CaptureChoice {
  std::string launch{};  // as CAPTURE:LAUNCH names it; "": the hottest kernels
  std::size_t kernels = 5;
  std::string cubin{};       // where kernels come from whose code is not in the capture
  PredictRequest command{};  // --kernel, --machine, --set; for reports --grid, --block and --arg
};

struct CaptureInput {
  std::string kernel;  // demangled
  Result<AdviseInput> input;
};

Result<std::vector<CaptureInput>> advise_inputs(const capture::Capture& capture,
                                                const CaptureChoice& choice,
                                                const Progress& progress);

}  // namespace burin::jobs
