#include "timing/sm/timeline_recorder.h"

#include <algorithm>

namespace burin::timing {

Timeline TimelineRecorder::take() {
  const bool use_full = now_.intervals.size() < most_ && !full_.intervals.empty();
  Timeline timeline = std::move(use_full ? full_ : now_);
  timeline.warps_per_block = warps_per_block_;
  // A wait is recorded when it ends, so waits that begin before the first issue of the window or
  // continue after its last one are incomplete.
  std::int64_t first = timeline.until;
  for (const WarpInterval& interval : timeline.intervals) {
    if (interval.is_issue) first = std::min(first, interval.from);
  }
  timeline.from = timeline.intervals.empty() ? 0 : first;
  for (WarpInterval& interval : timeline.intervals) {
    interval.from = std::max(interval.from, timeline.from);
  }
  std::erase_if(timeline.intervals,
                [](const WarpInterval& interval) { return interval.until <= interval.from; });
  return timeline;
}

}  // namespace burin::timing
