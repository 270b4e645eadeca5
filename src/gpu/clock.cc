#include "gpu/clock.h"

#include <chrono>

#include "gpu/library.h"

namespace burin::gpu {
namespace {

constexpr auto kBetween = std::chrono::milliseconds(5);

// The few entry points of NVML, opened once.
struct Nvml {
  using Device = void*;
  static constexpr int kSmClock = 1;  // NVML_CLOCK_SM

  int (*init)() = nullptr;
  int (*device)(const char*, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
  bool works = false;

  Nvml() {
    const Library library = Library::open(nvml_names());
    init = library.symbol<int()>("nvmlInit_v2");
    device = library.symbol<int(const char*, Device*)>("nvmlDeviceGetHandleByPciBusId_v2");
    clock = library.symbol<int(Device, int, unsigned*)>("nvmlDeviceGetClockInfo");
    driver = library.symbol<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    works = init != nullptr && device != nullptr && clock != nullptr && driver != nullptr &&
            init() == 0;
  }
};

const Nvml& nvml() {
  static const Nvml library;
  return library;
}

}  // namespace

ClockSampler::ClockSampler(const std::string& bus_id) {
  Nvml::Device device = nullptr;
  if (!nvml().works || nvml().device(bus_id.c_str(), &device) != 0) return;
  thread_ = std::thread([this, device] {
    for (bool last = false;; std::this_thread::sleep_for(kBetween)) {
      last = stopping_;
      unsigned mhz = 0;
      if (nvml().clock(device, Nvml::kSmClock, &mhz) == 0) samples_.push_back(mhz);
      if (last) return;
    }
  });
}

std::vector<unsigned> ClockSampler::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
  return samples_;
}

ClockSampler::~ClockSampler() {
  stop();
}

std::string driver_version() {
  char version[96] = "";
  if (!nvml().works || nvml().driver(version, sizeof version) != 0) return "";
  return version;
}

}  // namespace burin::gpu
