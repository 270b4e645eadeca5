// The result of `burin record`, with the kernels that took the most time:
//
//   train.burin: 2,736 launches of 41 kernels, 61.2 ms on the GPU (NVIDIA H200); 1,204,331 samples
//   python3 train.py ended with status 0
//
//      total   share  launches  kernel
//    12.1 ms  19.8 %        96  ampere_sgemm_128x64_nn
#pragma once

#include <string>

#include "base/foreground.h"
#include "capture/assemble/assemble.h"
#include "capture/capture.h"
#include "report/write/output.h"

namespace burin::report {

struct RecordReport {
  const capture::Capture& capture;
  const capture::Assembled& assembled;
  std::string command;
  Ending ending{};
  double wall_seconds = 0;  // run time of the program under the recorder
};

void write_record(Output& out, const RecordReport& report);

// {"schema":"burin.record/1",…}
void write_record_json(Output& out, const RecordReport& report);

}  // namespace burin::report
