// `burin cut`: one launch of a capture as a small capture of its own.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "capture/cut.h"

namespace burin::jobs {

struct CutRequest {
  std::string from{};  // CAPTURE:LAUNCH
  std::string to{};
  capture::CutOptions options{};
};

struct CutLaunch {
  std::uint64_t launch = 0;  // its number
  std::string capture;       // that it comes from
  std::string kernel;        // demangled
  bool memory = false;       // the file has what the buffers held
  std::uint64_t bytes = 0;   // of the file
};

Result<CutLaunch> cut_launch(const CutRequest& request);

}  // namespace burin::jobs
