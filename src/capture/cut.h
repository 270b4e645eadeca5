// Extracts one launch of a capture into a capture of its own, small enough to send to a colleague
// or to keep as a test, and complete: module, arguments, memory and samples of its kernel.
//
//   Result<void> done = cut_capture(capture, launch, {.strip_source = true}, "transpose.burin");
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "capture/capture.h"

namespace burin::capture {

struct CutOptions {
  bool strip_memory = false;  // omits the contents of the buffers
  // Omits information about the source and the computer: line tables, the PTX that cubins carry,
  // host call stacks, the command line, the working directory and the host name.
  bool strip_source = false;
};

Result<void> cut_capture(const Capture& capture, const CapturedLaunch& launch,
                         const CutOptions& options, const std::string& path);

// Returns the cubin without line tables and PTX: those sections are emptied, and everything else
// stays in place. Bytes that are not an ELF file are returned unchanged.
std::vector<std::uint8_t> strip_source(Bytes cubin);

}  // namespace burin::capture
