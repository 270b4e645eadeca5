// The captures that commands take: a file of `burin record`, or a report of Nsight Compute, which
// is read as one.
#pragma once

#include <string>

#include "base/result.h"
#include "capture/capture.h"

namespace burin::jobs {

bool is_capture_input(const std::string& file);

Result<capture::Capture> open_capture(const std::string& file);

}  // namespace burin::jobs
