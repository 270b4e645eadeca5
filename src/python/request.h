// The keyword arguments of a Python call, as the request of a job. The Python side has checked
// their names and turned every value into text, so that each means what the option of the same
// name means on the command line (docs/arguments.md).
//
//   predict({"file": "a.out", "kernel": "saxpy", "grid": "64", "arguments": ["i32:5", …]})
#pragma once

#include <pybind11/pybind11.h>

#include "python/answers.h"

namespace burin::python {

jobs::LaunchRequest launch_request(const pybind11::dict& given);
jobs::PredictRequest predict_request(const pybind11::dict& given);
jobs::ExplainRequest explain_request(const pybind11::dict& given);
jobs::AdviseRequest advise_request(const pybind11::dict& given);
jobs::RunRequest run_request(const pybind11::dict& given);
jobs::ImagesRequest images_request(const pybind11::dict& given);
CaptureRequest capture_request(const pybind11::dict& given);

}  // namespace burin::python
