// A GPU as burin sees it: a launch goes in; times, the clock and the buffers' contents come out.
// What stands behind it is a real GPU in a worker process (gpu/cuda_device.h) or, in tests, a
// script (tests/measure/fake_device.h).
//
//   DeviceRequest request{.cubin = "a.cubin", .kernel = "_Z6reducePf", .launch = launch};
//   Result<DeviceResult> result = device.run(request);
//   Sample times = summarize(result->times_us);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"

namespace burin::measure {

// What the caches hold of the kernel's data when a timed launch begins.
enum class Caches : std::uint8_t {
  kCold,  // nothing: they are filled with other data before each launch
  kWarm,  // the launch's buffers, as far as they fit into the L2 cache, unwritten
};

struct DeviceRequest {
  unsigned device = 0;                  // the N of cuda:N
  std::string cubin{};                  // the path of a cubin file
  std::string kernel{};                 // its name as the symbol table has it
  launch::Launch launch{};              // must have passed check_launch
  std::vector<std::string> settings{};  // SYMBOL=FILL of the module's variables (setting.h)
  bool cooperative = false;  // all blocks are on the GPU at once, as grid-wide barriers need

  // The first launch is for the outputs. Further ones, `repeats` in all, start from the same inputs
  // and tell how often the outputs come out the same; then come the timed ones.
  unsigned repeats = 1;
  unsigned launches = 20;  // timed; 0: none
  Caches caches = Caches::kCold;
  unsigned warm_up_ms = 100;  // the GPU works so long before it is timed

  // The buffers of the request before serve this one too where it said so as well, with the same
  // cubin, kernel and arguments: they are put back rather than filled, and not read back. Many
  // shapes of one launch then cost little more than their runs. Only without a folder for outputs.
  bool keep_buffers = false;

  double limit_seconds = 120;  // for all of it; then the worker is ended
  std::string outputs{};       // a folder for the buffers' files; "" keeps none: then repeats is 1
};

inline constexpr unsigned kMaxLaunches = 10000;  // of either kind

// A buffer as the first launch left it.
struct DeviceOutput {
  std::size_t argument = 0;  // its position in the launch
  std::string path{};        // a file of exactly the buffer's size; "" where none was wanted
  bool changed = false;      // some byte is not what the launch began with
  unsigned agreeing = 1;     // of the repeats, those that left it the same as the first, itself too
};

struct DeviceResult {
  std::string gpu;           // "NVIDIA H200"
  std::string architecture;  // "sm_90"
  std::string driver;        // NVIDIA's version of it, "580.65.06", or the CUDA version it offers
  std::vector<DeviceOutput> outputs{};
  unsigned repeats = 1;   // launches whose outputs were looked at
  unsigned agreeing = 1;  // of those, the ones that left all outputs the same as the first

  std::vector<double> times_us{};  // of the timed launches, in order
  // "cupti": the GPU's own time stamps at a kernel's start and end. "events": CUDA events around
  // the launch, which count about three microseconds more.
  std::string timer;
  std::string timer_note;             // why it is not cupti; "" where it is
  std::vector<unsigned> clock_mhz{};  // the SMs' clock, sampled while the timed launches ran
  Caches caches = Caches::kCold;
};

class Device {
 public:
  virtual ~Device() = default;

  // An Error where the GPU or its driver refuses (Exit::kDevice), the kernel stops with a fault or
  // does not end in time (likewise), or the cubin cannot be read (Exit::kInput). The device serves
  // the next request all the same.
  virtual Result<DeviceResult> run(const DeviceRequest& request) = 0;

  // Each in turn, as many answers as requests. `done` is told how many have been answered. A device
  // that must be started for a request may serve them all with one start.
  virtual std::vector<Result<DeviceResult>> run_all(
      std::span<const DeviceRequest> requests, const std::function<void(std::size_t)>& done = {}) {
    std::vector<Result<DeviceResult>> answers;
    for (const DeviceRequest& request : requests) {
      answers.push_back(run(request));
      if (done) done(answers.size());
    }
    return answers;
  }
};

}  // namespace burin::measure
