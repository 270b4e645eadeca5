// `burin calibrate`: measures the GPU of this computer with microbenchmarks and writes its machine
// file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/micro/calibrate.h"
#include "jobs/input/progress.h"
#include "machine/machine.h"

namespace burin::jobs {

struct CalibrateGpuRequest {
  std::string device = "cuda:0";
  std::string out{};   // machine file to write; "": none
  bool force = false;  // overwrite an existing file of any kind
  std::vector<std::string> only{};
  std::string from = "h200";
  std::string name{};
  std::string keep{};  // folder for the raw readings; "": none
};

struct CalibratedGpu {
  machine::Machine before;  // the machine file used as the starting point
  gpu::Calibration done;
};

Result<CalibratedGpu> calibrate_gpu(const CalibrateGpuRequest& request, const Progress& progress);

// Writes the requested files: the machine file and the raw readings.
Result<void> keep_calibration(const CalibratedGpu& calibrated, const CalibrateGpuRequest& request);

}  // namespace burin::jobs
