// The SM clock over many measurements: tells whether a batch of launches ran at a lower clock than
// the ones before it, because the GPU was too hot or drew too much power.
//
//   ClockHistory history;
//   bool throttled = history.is_low(batch_mhz);   // compared with the batches added so far
//   history.add(batch_mhz);
#pragma once

#include <deque>
#include <span>

namespace burin::measure {

class ClockHistory {
 public:
  // True if the median of `mhz` is more than 5 % below the median of the batches so far. False
  // without samples, or while fewer than three batches are known.
  bool is_low(std::span<const unsigned> mhz) const;

  // Only the last 64 batches are kept, so that a clock that stays low becomes the usual one.
  void add(std::span<const unsigned> mhz);

 private:
  std::deque<double> medians_;
};

}  // namespace burin::measure
