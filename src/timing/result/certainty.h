// How far a prediction can be relied on: an interval for the measured time, and whether a
// measurement is needed.
//
//   p.certainty = certainty_of(p, machine, kernel);     // {290.1, 334.7, "dram", …}
//
// The interval comes from a table (certainty.cc): for each kind of launch, the 10th and the 90th
// percentile of measured over predicted time. `bench/intervals.py` computes the table from launches
// that were measured on an H200, and its coverage on held-out ones. The kinds:
//
//   unknown    a part of the time depends on Unknown values
//   short      under 10 µs: launch overhead and cold caches count
//   waits      inter-block synchronisation limits it
//   tensor, dram, l2, shared, issue …   the unit whose lower bound is most of the time
//   latency    no unit is near its peak
//
// `short` and `latency` have narrower intervals the larger the share of the time that the largest
// lower bound takes.
#pragma once

#include <string_view>

#include "machine/machine.h"
#include "timing/result/prediction.h"

namespace burin::timing {

// Factor on the logarithm of the interval for machines other than the measured one.
inline constexpr double kOtherMachineWidening = 1.5;

// The kind of launch, by p.bound, p.unknown_share, p.time_us and `waits`.
std::string_view kind_of_launch(const Prediction& p, bool waits);

// `waits`: the time is that of inter-block synchronisation.
Certainty certainty_of(const Prediction& p, const machine::Machine& machine, bool waits);

}  // namespace burin::timing
