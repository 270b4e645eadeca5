#include "gpu/clock.h"

#include <chrono>
#include <utility>

#include "gpu/library.h"

namespace burin::gpu {
namespace {

constexpr auto kBetween = std::chrono::milliseconds(5);

// NVML_CLOCKS_EVENT_REASON_…: HW_SLOWDOWN, SW_THERMAL_SLOWDOWN, HW_THERMAL_SLOWDOWN,
// HW_POWER_BRAKE_SLOWDOWN.
constexpr unsigned long long kThrottleReasons = 0x08 | 0x20 | 0x40 | 0x80;

// The few entry points of NVML, opened once.
struct Nvml {
  using Device = void*;
  static constexpr int kSmClock = 1;  // NVML_CLOCK_SM

  int (*init)() = nullptr;
  int (*device)(const char*, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
  int (*reasons)(Device, unsigned long long*) = nullptr;  // null: not available
  bool works = false;

  Nvml() {
    const Library library = Library::open(nvml_names());
    init = library.symbol<int()>("nvmlInit_v2");
    device = library.symbol<int(const char*, Device*)>("nvmlDeviceGetHandleByPciBusId_v2");
    clock = library.symbol<int(Device, int, unsigned*)>("nvmlDeviceGetClockInfo");
    driver = library.symbol<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    reasons =
        library.symbol<int(Device, unsigned long long*)>("nvmlDeviceGetCurrentClocksEventReasons");
    if (reasons == nullptr) {  // its name in older drivers
      reasons = library.symbol<int(Device, unsigned long long*)>(
          "nvmlDeviceGetCurrentClocksThrottleReasons");
    }
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
  if (!nvml().works || nvml().device(bus_id.c_str(), &device_) != 0) {
    device_ = nullptr;
    return;
  }
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      add_sample();
      wake_.wait_for(lock, kBetween, [this] { return stopping_; });
    }
  });
}

void ClockSampler::add_sample() {
  unsigned mhz = 0;
  if (nvml().clock(device_, Nvml::kSmClock, &mhz) == 0) samples_.mhz.push_back(mhz);
  unsigned long long reasons = 0;
  if (nvml().reasons != nullptr && nvml().reasons(device_, &reasons) == 0) {
    samples_.throttled = samples_.throttled || (reasons & kThrottleReasons) != 0;
  }
}

ClockSamples ClockSampler::take() {
  if (device_ == nullptr) return {};
  const std::lock_guard lock(mutex_);
  add_sample();
  return std::exchange(samples_, {});
}

ClockSampler::~ClockSampler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string driver_version() {
  char version[96] = "";
  if (!nvml().works || nvml().driver(version, sizeof version) != 0) return "";
  return version;
}

}  // namespace burin::gpu
