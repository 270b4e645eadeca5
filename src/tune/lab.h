// Where configurations are compiled and measured: a GPU, OpenCL's CPU device, the emulator, a
// recording, or the processes of many computers.
//
//   lab.submit(point, {});
//   Result<Trial> trial = lab.wait();
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "base/result.h"
#include "tune/trial.h"

namespace burin::tune {

struct TrialLimits {
  // The time of the best configuration so far, µs: one that is clearly slower is given up early.
  double best_time_us = std::numeric_limits<double>::infinity();
};

class Lab {
 public:
  virtual ~Lab() = default;

  // How many configurations it makes use of at once: while one is measured, others are compiled, or
  // measured elsewhere.
  virtual std::size_t width() const { return 1; }

  // Starts work on a valid point. At most width() points are open at once.
  virtual void submit(const Point& point, const TrialLimits& limits) = 0;

  // Waits until work on some open point has ended. A configuration that fails is a Trial too; an
  // Error means that nothing can be measured any more: no device, no compiler, a full disk.
  virtual Result<Trial> wait() = 0;

  // Measures a point again, without compiling it again. Returns times in µs; none if it failed.
  virtual Result<std::vector<double>> measure_again(const Point& point) = 0;
};

}  // namespace burin::tune
