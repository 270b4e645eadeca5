// A capture's launches around the analysed launch, for findings that involve several launches.
//
//   Result<LaunchSequence> sequence = sequence_of(*capture, launch);
//   sequence->launches[sequence->at].time_us
//   passed(sequence->launches[0], sequence->launches[1])      bytes written by the first launch
//                                                             and passed to the second
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "launch/launch.h"

namespace burin::advise {

struct AddressRange {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
};

struct NeighbourLaunch {
  std::string kernel;
  launch::Dims grid{};
  launch::Dims block{};
  double start_us = 0;
  double time_us = 0;
  // The memory that its arguments point to, up to the end of the allocation.
  std::vector<AddressRange> buffers{};
  std::vector<bool> written{};  // per buffer; empty: unknown
};

struct LaunchSequence {
  std::vector<NeighbourLaunch> launches;  // ordered by start time
  std::size_t at = 0;                     // index of the analysed launch
};

// Returns the timed launches of the same stream around `launch`, at most `around` on each side. The
// buffers that a launch writes are found from its kernel's code; `written` is empty if the capture
// has no code for the kernel.
Result<LaunchSequence> sequence_of(const capture::Capture& capture, std::uint64_t launch,
                                   std::size_t around = 32);

// Returns the bytes of the buffers that `first` writes and that `second` also receives.
std::uint64_t passed(const NeighbourLaunch& first, const NeighbourLaunch& second);

}  // namespace burin::advise
