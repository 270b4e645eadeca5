// The contents of a capture, as text and as JSON.
//
//   app.burin: 412 launches of 17 kernels, 12.3 ms on the GPU (NVIDIA H200)
//   process 4711: python train.py; 49,912 samples
//
//   launches     total   share    median  samples  kernel
//        128   4.21 ms  34.2 %   32.1 µs   17,070  ns::gemm<…>
//
//     launch      time   share  grid             block        kernel
//         17   1.20 ms   9.8 %  256,256,1        32,8,1       transpose  (memory, graph)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/capture.h"
#include "capture/counts.h"
#include "jobs/compare_capture.h"
#include "launch/stall_profile.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct CaptureReport {
  const capture::Capture& capture;
  std::vector<const capture::CapturedLaunch*> launches;  // launches to show, in order
  std::size_t left_out = 0;            // number of requested launches that are not shown
  std::vector<std::uint64_t> samples;  // total samples of each kernel
  const jobs::CaptureComparison* comparison = nullptr;
  std::size_t most_groups = 20;  // comparison groups shown in the text; JSON has all groups
};

void write_capture(Output& out, const CaptureReport& report);

// {"schema":"burin.capture/1",…}
void write_capture_json(Json& json, const CaptureReport& report);

}  // namespace burin::report
