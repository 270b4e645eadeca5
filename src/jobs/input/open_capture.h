// Opens the captures that commands accept: a file from `burin record`, or an Nsight Compute report,
// which is read as a capture.
#pragma once

#include <string>

#include "base/result.h"
#include "capture/capture.h"

namespace burin::jobs {

bool is_capture_input(const std::string& file);

Result<capture::Capture> open_capture(const std::string& file);

}  // namespace burin::jobs
