// `burin cut`: extracts one launch of a capture into a small capture of its own.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "capture/cut.h"

namespace burin::jobs {

struct CutRequest {
  std::string from{};  // CAPTURE:LAUNCH
  std::string to{};
  bool force = false;  // overwrite an existing file of any kind
  capture::CutOptions options{};
};

struct CutLaunch {
  std::uint64_t launch = 0;  // launch number
  std::string capture;       // the original capture
  std::string kernel;        // demangled
  bool memory = false;       // the file contains the contents of the buffers
  std::uint64_t bytes = 0;   // file size
};

Result<CutLaunch> cut_launch(const CutRequest& request);

}  // namespace burin::jobs
