// A recorded space: every configuration of a kernel with what became of it, so that a search can be
// repeated without a GPU.
//
//   Result<RecordedSpace> recorded = read_recorded_space("convolution.json.gz");  // tune/formats
//   Trial trial = recorded->trial(point);       // {kOk, time_us 412, compile_seconds 0.9, …}
//   recorded->best();                           // the fastest point, if any ended well
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tune/space/space.h"
#include "tune/trial.h"

namespace burin::tune {

struct RecordedPoint {
  Status status = Status::kOk;
  std::string reason{};                                      // as recorded, unless kOk
  double time_us = std::numeric_limits<double>::infinity();  // infinite unless kOk
  double compile_seconds = 0;
  double measure_seconds = 0;  // samples, verification and the tuner's own overhead

  double cost_seconds() const { return compile_seconds + measure_seconds; }
};

struct RecordedSpace {
  Space space;                        // exactly the recorded points
  std::vector<RecordedPoint> points;  // in the order of Space::at()

  // False if the file says that more points exist than it has, or if it was cut short: then the
  // fastest point may not be the optimum.
  bool fully_recorded = true;
  std::optional<std::uint64_t> space_size{};  // valid configurations, if the file says it
  std::string kernel{};                       // empty where the file does not name them
  std::string device{};

  // What was recorded for a point of `space`.
  const RecordedPoint& at(const Point& point) const { return points[space.index_of(point)]; }
  Trial trial(const Point& point) const;

  // The index of the fastest point; empty if every configuration failed.
  std::optional<std::size_t> best() const;
};

}  // namespace burin::tune
