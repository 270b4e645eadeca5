// A capture as views of the HTML report: the capture itself with its host call paths, and the code
// of each kernel that has samples, with the samples at its instructions and what they wait for.
//
//   [[{"schema":"burin.capture/1",…},{"schema":"burin.stacks/1",…}],
//    [{"schema":"burin.sampled/1","kernel":3,"samples":120422},{"schema":"burin.code/2",…}], …]
#pragma once

#include <string>

#include "report/capture/capture.h"
#include "report/write/json.h"

namespace burin::report {

// Writes the elements of "views". `machine`: name or file of the GPU whose latencies attribute the
// samples to their causes; "": the recorded one.
void write_capture_views(Json& json, const CaptureReport& report, const std::string& machine);

}  // namespace burin::report
