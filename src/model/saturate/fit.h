// A launch as an overhead and a rate: time = overhead + work / throughput. Fitted to a few small
// problem sizes, it gives the throughput of a large one that was not run.
//
//   std::vector<SizeSample> small{{.size = 1024, .work = 1024, .time_us = 6.024},
//                                 {.size = 4096, .work = 4096, .time_us = 9.096},
//                                 {.size = 16384, .work = 16384, .time_us = 21.384}};
//   std::optional<Fit> fit = fit_times(small);      // overhead 5 µs, 1e9 units a second
//   fit->throughput_at(1 << 20)                     // 995e6
#pragma once

#include <optional>
#include <span>

namespace burin::model {

// One problem size of a configuration.
struct SizeSample {
  double size = 0;               // value of the size that is varied
  double work = 0;               // units of work of one run
  double time_us = 0;            // median of the measured times
  double waves = 0;              // blocks ÷ blocks resident on the whole GPU; 0: not known
  double working_set_bytes = 0;  // of all buffers; 0: not known
  std::optional<double> l2_hit_rate{};
  std::optional<double> memory_busy{};  // share of the time of the busiest of LSU, L1, L2, DRAM
  double kernel_time_us = 0;            // of all launches that were timed: what the sample cost

  // Units of work per second: formula 1 of Magni et al., GPGPU 2014.
  double throughput() const { return time_us > 0 ? work / time_us * 1e6 : 0; }
};

struct Fit {
  double overhead_us = 0;  // never negative
  double throughput = 0;   // units per second, of an endless run
  double max_error = 0;    // largest |fitted ÷ measured − 1| over the samples

  double time_us_at(double work) const { return overhead_us + work / throughput * 1e6; }
  double throughput_at(double work) const { return work / time_us_at(work) * 1e6; }
};

// Least squares on relative errors, so that small sizes count as much as large ones. None for
// fewer than two different amounts of work, or where the time does not grow with the work.
std::optional<Fit> fit_times(std::span<const SizeSample> samples);

// The largest relative error with which each of the last `checked` samples is predicted from those
// before it alone; none if there are fewer than two before.
std::optional<double> prediction_error(std::span<const SizeSample> samples, std::size_t checked);

}  // namespace burin::model
