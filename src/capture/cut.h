// One launch of a capture as a capture of its own: small enough to send to a colleague or to keep
// as a test, and complete: module, arguments, memory, samples of its kernel.
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
  bool strip_memory = false;  // leaves out what the buffers held
  // Leaves out what tells of the source and of the computer: line tables, the PTX that cubins
  // carry, host call stacks, the command line, the folder and the host's name.
  bool strip_source = false;
};

Result<void> cut_capture(const Capture& capture, const CapturedLaunch& launch,
                         const CutOptions& options, const std::string& path);

// The cubin without line tables and PTX: the sections are emptied, and everything else stays where
// it is. As it was where it is no ELF file.
std::vector<std::uint8_t> strip_source(Bytes cubin);

}  // namespace burin::capture
