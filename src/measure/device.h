// The interface to a GPU: it runs a launch and returns times, the SM clock and the contents of the
// buffers. The implementation is a real GPU in a worker process (gpu/cuda_device.h) or, in tests, a
// scripted fake (tests/measure/fake_device.h).
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

// State of the caches when a timed launch starts.
enum class Caches : std::uint8_t {
  kCold,  // none of the kernel's data: other data is loaded before each launch
  kWarm,  // the launch's buffers, as far as they fit in the L2 cache, as clean lines
};

struct DeviceRequest {
  unsigned device = 0;                  // the N of cuda:N
  std::string cubin{};                  // path of the cubin file
  std::string kernel{};                 // name in the symbol table (mangled)
  launch::Launch launch{};              // must have passed check_launch
  std::vector<std::string> settings{};  // SYMBOL=FILL for module variables (launch/setting.h)
  bool cooperative = false;  // all blocks are resident at once, as grid-wide barriers require

  // The first launch produces the outputs. The kernel is launched `repeats` times in total from the
  // same inputs, to count how often the outputs are the same. The timed launches follow.
  unsigned repeats = 1;
  unsigned launches = 20;  // number of timed launches; 0: none
  Caches caches = Caches::kCold;
  unsigned warm_up_ms = 100;  // time for which the GPU is kept busy before timing, ms

  // Reuse the buffers of the previous request if it had keep_buffers set too and the same cubin,
  // kernel and arguments. They are then restored instead of filled, and not read back, so running
  // many launch shapes costs little more than the launches themselves. Requires `outputs` to be "".
  bool keep_buffers = false;

  double limit_seconds = 120;  // for the whole request, seconds; then the worker is terminated
  std::string outputs{};       // folder for the buffer contents; "": none, and repeats must be 1
};

inline constexpr unsigned kMaxLaunches = 10000;  // maximum of `repeats` and of `launches`

// A buffer after the first launch.
struct DeviceOutput {
  std::size_t argument = 0;  // index of the argument in the launch
  std::string path{};        // a file of exactly the buffer's size; "" if none was requested
  bool changed = false;      // some byte differs from the contents before the launch
  unsigned agreeing = 1;     // repeats with the same contents as the first, including the first
};

struct DeviceResult {
  std::string gpu;           // "NVIDIA H200"
  std::string architecture;  // "sm_90"
  std::string driver;        // driver version, "580.65.06", or the CUDA version it supports
  std::vector<DeviceOutput> outputs{};
  unsigned repeats = 1;   // launches whose outputs were compared
  unsigned agreeing = 1;  // repeats in which all outputs were the same as in the first

  std::vector<double> times_us{};  // one per timed launch, in order, µs
  // "cupti": the GPU's own time stamps at the start and end of a kernel. "events": CUDA events
  // around the launch, which measure about three microseconds more.
  std::string timer;
  std::string timer_note;             // why `timer` is not "cupti"; "" if it is
  std::vector<unsigned> clock_mhz{};  // SM clock, sampled during the timed launches, MHz
  Caches caches = Caches::kCold;
};

class Device {
 public:
  virtual ~Device() = default;

  // Runs one request. Returns an Error with Exit::kDevice if the GPU or its driver reports an
  // error, or if the kernel faults or exceeds the time limit; with Exit::kInput if the cubin cannot
  // be read. The device can still run the next request.
  virtual Result<DeviceResult> run(const DeviceRequest& request) = 0;

  // Runs the requests in order and returns one result per request. `done` is called with the number
  // of requests answered so far. A device that must be started for a request may start only once
  // for all of them.
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
