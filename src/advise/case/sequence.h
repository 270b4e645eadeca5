// A capture's launches around the one that is looked at: what only several launches together show.
//
//   Result<LaunchSequence> sequence = sequence_of(*capture, launch);
//   sequence->launches[sequence->at].time_us
//   passed(sequence->launches[0], sequence->launches[1])      bytes that one writes and the other
//   reads
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
  std::vector<AddressRange> buffers{};  // that its arguments point to, to the end of the allocation
  std::vector<bool> written{};          // for each of them; empty where that is not known
};

struct LaunchSequence {
  std::vector<NeighbourLaunch> launches;  // in the order of their starts
  std::size_t at = 0;                     // the launch that is looked at
};

// The launches of the same stream around `launch`, at most `around` on each side, as far as they
// were timed. Their kernels' code tells which buffers they write; where the capture has none, that
// stays open.
Result<LaunchSequence> sequence_of(const capture::Capture& capture, std::uint64_t launch,
                                   std::size_t around = 32);

// The bytes of the buffers that `first` writes and `second` is given too.
std::uint64_t passed(const NeighbourLaunch& first, const NeighbourLaunch& second);

}  // namespace burin::advise
