// Samples the SM clock while kernels run, by querying NVIDIA's management library (NVML) every few
// milliseconds.
//
//   ClockSampler clock(bus_id);     // starts sampling
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
  // `bus_id` is the PCI bus id reported by the driver: "0000:19:00.0". If NVML is missing or the
  // query fails, there are no samples.
  explicit ClockSampler(const std::string& bus_id);
  ~ClockSampler();
  ClockSampler(const ClockSampler&) = delete;
  ClockSampler& operator=(const ClockSampler&) = delete;

  std::vector<unsigned> stop();  // MHz; at least one sample from the start and one from now

 private:
  std::atomic<bool> stopping_{false};
  std::vector<unsigned> samples_;
  std::thread thread_;
};

// The version of the NVIDIA driver, "580.65.06"; "" if NVML does not report it.
std::string driver_version();

}  // namespace burin::gpu
