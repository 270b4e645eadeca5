#include "tune/replay.h"

namespace burin::tune {

Trial RecordedSpace::trial(const Point& point) const {
  const RecordedPoint& recorded = at(point);
  Trial trial{.point = point, .status = recorded.status, .reason = recorded.reason};
  if (recorded.status == Status::kOk) {
    trial.objective = recorded.time_us;
    trial.time_us = recorded.time_us;
  }
  trial.compile_seconds = recorded.compile_seconds;
  trial.measure_seconds = recorded.measure_seconds;
  trial.device = device;
  return trial;
}

std::optional<std::size_t> RecordedSpace::best() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].status != Status::kOk) continue;
    if (!best || points[i].time_us < points[*best].time_us) best = i;
  }
  return best;
}

}  // namespace burin::tune
