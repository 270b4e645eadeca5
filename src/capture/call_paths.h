// The places in the recorded program that launch a kernel.
//
//   for (const CallPath& path : *call_paths(capture, kernel.id))   // longest total time first
//     path.caller, path.share, path.launches …                     // "main.cpp:42", 0.6
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"

namespace burin::capture {

struct CallPath {
  // The frames in which this path differs from the kernel's other paths, outermost first:
  // "train.py:42", "main at app+0x8d56", "main.cpp:12 > solve.cpp:80". "" for the only path, and
  // for launches without a call stack.
  std::string caller{};
  std::vector<CapturedFrame> frames{};            // innermost first
  std::vector<const CapturedLaunch*> launches{};  // in the order of the capture
  double share = 0;  // of the kernel's time; of its launches if none has a time
};

// Returns the call paths of a kernel's launches. Paths are the same if all their frames are.
Result<std::vector<CallPath>> call_paths(const Capture& capture, std::uint64_t kernel);

// Returns the samples that are known to belong to launches of the path; no rows: none are.
Result<launch::StallProfile> profile_of(const Capture& capture, const CallPath& path);

// "train.py:42", "main at app+0x8d56", "app+0x8d56".
std::string frame_place(const CapturedFrame& frame);

}  // namespace burin::capture
