// Samples the SM clock while kernels run, by querying NVIDIA's management library (NVML) every few
// milliseconds.
//
//   ClockSampler clock(bus_id);     // starts sampling
//   … kernels …
//   ClockSamples batch = clock.take();
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace burin::gpu {

struct ClockSamples {
  std::vector<unsigned> mhz{};
  // NVML reports that the hardware or the driver slows the GPU down because of its temperature or
  // of its power supply. A power limit that the load itself reaches is not included.
  bool throttled = false;
};

class ClockSampler {
 public:
  // `bus_id` is the PCI bus id reported by the driver: "0000:19:00.0". If NVML is missing or the
  // query fails, there are no samples.
  explicit ClockSampler(const std::string& bus_id);
  ~ClockSampler();
  ClockSampler(const ClockSampler&) = delete;
  ClockSampler& operator=(const ClockSampler&) = delete;

  // The samples since the last call, with at least one from now.
  ClockSamples take();

 private:
  void add_sample();  // with mutex_ locked

  void* device_ = nullptr;  // NVML's handle; null: not available
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  ClockSamples samples_;
  std::thread thread_;
};

// The version of the NVIDIA driver, "580.65.06"; "" if NVML does not report it.
std::string driver_version();

}  // namespace burin::gpu
