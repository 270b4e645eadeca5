// The launches to advise on in a capture or an Nsight Compute report, ordered by total kernel time,
// longest first.
#pragma once

#include <string>
#include <vector>

#include "capture/capture.h"
#include "jobs/advise_launch.h"

namespace burin::jobs {

struct CaptureChoice {
  std::string launch{};  // LAUNCH of CAPTURE:LAUNCH; "": the hottest kernels
  std::size_t kernels = 5;
  bool by_caller = false;    // a kernel launched from several places is listed for each
  std::string cubin{};       // source of kernels whose code is not in the capture
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
