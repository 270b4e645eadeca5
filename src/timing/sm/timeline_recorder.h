// Records the timeline of a window around the middle of a replay, without knowing in advance how
// long the replay is: recording stops when the window is full, and begins again whenever twice its
// end has passed. The window that is kept then lies between a quarter and the whole of the run.
//
//   TimelineRecorder recorder(20'000);
//   recorder.add(interval);                  in the order of issues
//   Timeline timeline = recorder.take();
#pragma once

#include <cstddef>
#include <utility>

#include "timing/result/timeline.h"

namespace burin::timing {

class TimelineRecorder {
 public:
  explicit TimelineRecorder(std::size_t most_intervals) : most_(most_intervals) {}

  void add(const WarpInterval& interval) {
    if (now_.intervals.size() >= most_) {
      if (interval.from < 2 * now_.until) return;
      full_ = std::exchange(now_, {});
    }
    if (now_.intervals.empty()) now_.from = interval.from;
    now_.intervals.push_back(interval);
    if (interval.until > now_.until) now_.until = interval.until;
  }
  void set_warps_per_block(std::uint32_t warps) { warps_per_block_ = warps; }

  // Returns the last full window, or the only one.
  Timeline take();

 private:
  std::size_t most_;
  std::uint32_t warps_per_block_ = 0;
  Timeline now_;
  Timeline full_;
};

}  // namespace burin::timing
