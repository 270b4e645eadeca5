// Answers trials from a recorded space.
#pragma once

#include <deque>
#include <vector>

#include "tune/lab.h"
#include "tune/replay.h"

namespace burin::tune {

class ReplayLab : public Lab {
 public:
  explicit ReplayLab(const RecordedSpace& recorded) : recorded_(recorded) {}

  void submit(const Point& point, const TrialLimits&) override { open_.push_back(point); }

  Result<Trial> wait() override {
    Trial trial = recorded_.trial(open_.front());
    open_.pop_front();
    return trial;
  }

  Result<std::vector<double>> measure_again(const Point& point) override {
    const RecordedPoint& found = recorded_.at(point);
    if (found.status != Status::kOk) return std::vector<double>{};
    return std::vector<double>{found.time_us};
  }

 private:
  const RecordedSpace& recorded_;
  std::deque<Point> open_;
};

}  // namespace burin::tune
