// The SMs' clock while kernels run, asked of NVIDIA's management library (NVML) every few
// milliseconds.
//
//   ClockSampler clock(bus_id);     // starts
//   … kernels …
//   std::vector<unsigned> mhz = clock.stop();
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace burin::gpu {

class ClockSampler {
 public:
  // `bus_id` as the driver tells it: "0000:19:00.0". Where NVML or the GPU does not answer, there
  // are no samples.
  explicit ClockSampler(const std::string& bus_id);
  ~ClockSampler();
  ClockSampler(const ClockSampler&) = delete;
  ClockSampler& operator=(const ClockSampler&) = delete;

  std::vector<unsigned> stop();  // one at the start and one now at the least

 private:
  std::atomic<bool> stopping_{false};
  std::vector<unsigned> samples_;
  std::thread thread_;
};

// NVIDIA's version of the driver, "580.65.06"; "" where NVML does not tell.
std::string driver_version();

}  // namespace burin::gpu
