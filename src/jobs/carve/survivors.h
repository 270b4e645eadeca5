// Measures the configurations that carving kept, and reads the times of recorded spaces.
#pragma once

#include <limits>
#include <vector>

#include "base/result.h"
#include "jobs/carve/carve_space.h"
#include "jobs/tune/target.h"
#include "tune/replay.h"

namespace burin::jobs {

// Measures the points in order, on the lab of a problem size.
Result<std::vector<tune::Trial>> measure_points(tune::Lab& lab,
                                                const std::vector<tune::Point>& points,
                                                const Progress& progress);

// What a recording has for each configuration of `size`: its time, infinite if it failed, and what
// trying it cost in seconds. A recording with other parameters or without some configuration is an
// Error.
struct RecordedTimes {
  std::vector<double> times_us{};
  std::vector<double> costs{};
};
Result<RecordedTimes> recorded_times(const tune::RecordedSpace& recorded, const CarvedSize& size);

}  // namespace burin::jobs
