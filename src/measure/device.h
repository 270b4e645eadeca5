// The interface to a device: it runs launches and returns times, the clock and the contents of the
// buffers. The implementation is a GPU or an OpenCL device in a worker process
// (gpu/worker/worker_device.h) or, in tests, a scripted fake (tests/measure/fake_device.h).
//
//   DeviceRequest request = single_launch("a.cubin", "_Z6reducePf", launch);
//   DeviceAnswer answer = device.run(request);
//   if (!answer) …                                // answer.kind(), answer.error().message
//   Sample times = summarize(answer->times_us);
//
// A tuner verifies each configuration against the outputs of the first, and stops early:
//
//   request.steps = {{.kernel = "partial", .launch = first}, {.kernel = "total", .launch =
//   second}}; request.keep_buffers = true; request.check = Check::kCompare;              //
//   Check::kKeep for the first configuration request.expected = {{.argument = 2, .type =
//   ElementType::kF32, .tolerance = 1e-4}}; request.stopping = {.least = 5, .most = 50,
//   .target_spread = 0.005, .abort_above_us = 120};
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "launch/compare.h"
#include "launch/launch.h"
#include "measure/stopping.h"

namespace burin::measure {

// State of the caches when a timed launch starts.
enum class Caches : std::uint8_t {
  kCold,  // none of the kernel's data: other data is loaded before each launch
  kWarm,  // the launch's buffers, as far as they fit in the L2 cache, as clean lines
};

// One of the launches that make up a configuration.
struct Step {
  std::string kernel{};      // name in the symbol table (mangled), or the name of an OpenCL kernel
  launch::Launch launch{};   // a step after the first may refer to its buffers (@I)
  bool cooperative = false;  // all blocks are resident at once, as grid-wide barriers require
  unsigned count = 1;        // launched so many times in a row
};

// What to verify after the first run of a configuration.
enum class Check : std::uint8_t {
  kNone,
  kKeep,     // keep the `expected` outputs of this run, on the device, as the reference
  kCompare,  // compare the `expected` outputs with the reference kept, or with their files
};

// An output that is verified.
struct ExpectedOutput {
  std::size_t step = 0;      // the step to which the argument belongs
  std::size_t argument = 0;  // index of a buffer
  launch::ElementType type = launch::ElementType::kF32;
  std::optional<double> tolerance{};  // see launch/compare.h; none: compare bit for bit
  std::string file{};                 // with kCompare: the reference, of exactly the buffer's size
};

struct DeviceRequest {
  std::string device = "cuda:0";  // see device_name.h
  std::string program{};          // path of a cubin, of a PTX file, or of OpenCL C source
  std::string options{};          // for the compiler of OpenCL: "-DTILE=16 -cl-fast-relaxed-math"
  std::vector<Step> steps{};      // run in order, and timed as one unit; at least one
  std::vector<std::string> settings{};  // SYMBOL=FILL for module variables (launch/setting.h)

  // The first run produces the outputs. The steps are run `repeats` times in total from the same
  // inputs, to count how often the outputs are the same. The timed runs follow.
  unsigned repeats = 1;
  Stopping stopping{};  // how often the steps are timed
  Caches caches = Caches::kCold;
  // Time for which the GPU is kept busy before timing, ms. Skipped, except for one run, if the GPU
  // was busy until just now.
  unsigned warm_up_ms = 100;

  Check check = Check::kNone;
  std::vector<ExpectedOutput> expected{};

  // Keep the buffers on the device for the next request. A buffer with the same text at the same
  // place (step and argument) is then restored instead of filled, whatever the program and the
  // kernel are, so running many configurations costs little more than the launches themselves.
  // Requires `outputs` to be "".
  bool keep_buffers = false;

  // For the whole request, seconds; then the worker is killed. Starting a worker is not included.
  double limit_seconds = 120;
  std::string outputs{};  // folder for the buffer contents; "": none, and repeats must be 1
};

inline constexpr unsigned kMaxLaunches = 10000;  // maximum of `repeats`, `count` and `most`

// A request for one launch, with everything else as above.
inline DeviceRequest single_launch(std::string program, std::string kernel, launch::Launch launch) {
  DeviceRequest request;
  request.program = std::move(program);
  request.steps.push_back({.kernel = std::move(kernel), .launch = std::move(launch)});
  return request;
}

// A buffer after the first run.
struct DeviceOutput {
  std::size_t step = 0;
  std::size_t argument = 0;  // index of the argument in the step's launch
  std::string path{};        // a file of exactly the buffer's size; "" if none was requested
  bool changed = false;      // some byte differs from the contents before the run
  unsigned agreeing = 1;     // repeats with the same contents as the first, including the first
};

// An output compared with its reference.
struct CheckedBuffer {
  std::size_t step = 0;
  std::size_t argument = 0;
  launch::Comparison comparison{};
};

// For a time that is predicted: 80 % of measured times would lie between `low_us` and `high_us`.
struct PredictedInterval {
  double low_us = 0, high_us = 0;
  std::string measure_because{};  // why the prediction should not be relied on; "" if it should
};

struct DeviceResult {
  std::string gpu;           // "NVIDIA H200"
  std::string architecture;  // "sm_90"; of an OpenCL device its version, "OpenCL 3.0"
  std::string driver;        // driver version, "580.65.06", or the CUDA version it supports
  std::vector<DeviceOutput> outputs{};
  unsigned repeats = 1;   // runs whose outputs were compared
  unsigned agreeing = 1;  // repeats in which all outputs were the same as in the first

  // One per output of `expected`, with Check::kCompare. If one differs, nothing is timed.
  std::vector<CheckedBuffer> checked{};

  // One per timed run, in order, µs: from the start of the first launch to the end of the last.
  std::vector<double> times_us{};
  // "cupti": the GPU's own time stamps at the start and end of a kernel. "events": CUDA events
  // around the launch, which measure about three microseconds more. "profiling": OpenCL's events.
  std::string timer;
  std::string timer_note;                       // why `timer` is not "cupti"; "" if it is
  std::optional<PredictedInterval> interval{};  // of a device that predicts
  std::vector<unsigned> clock_mhz{};            // SM clock, sampled during the timed launches, MHz
  Caches caches = Caches::kCold;
  bool cut_short = false;  // clearly slower than Stopping::abort_above_us
  bool settled = false;    // Stopping::target_spread was reached
  unsigned discarded = 0;  // runs repeated because the clock was throttled

  // All outputs are what they should be.
  bool correct() const {
    return std::ranges::all_of(
        checked, [](const CheckedBuffer& buffer) { return buffer.comparison.equal(); });
  }
};

// Why there is no result. Wrong outputs are a result (DeviceResult::correct).
enum class FailureKind : std::uint8_t {
  kRequest,  // the request cannot be carried out by any device: a missing file, a wrong argument
  kDevice,   // no such device, no driver, not enough memory
  kCompile,  // the program cannot be compiled for the device or loaded on it
  kLaunch,   // the launch exceeds a limit of the kernel or of the device
  kRuntime,  // the kernel faulted, or the worker crashed
  kTimeout,  // `limit_seconds` have passed
};
std::string_view name(FailureKind kind);  // "request", "device", …
std::optional<FailureKind> parse_failure(std::string_view text);

// A result, or an Error with its kind.
class [[nodiscard]] DeviceAnswer : public Result<DeviceResult> {
 public:
  DeviceAnswer(DeviceResult result) : Result(std::move(result)) {}
  DeviceAnswer(Error error, FailureKind kind = FailureKind::kDevice)
      : Result(std::move(error)), kind_(kind) {}

  FailureKind kind() const { return kind_; }  // only if there is no result

  // The process that ran the request cannot use the device any more.
  bool lost() const { return lost_; }
  DeviceAnswer& set_lost() {
    lost_ = true;
    return *this;
  }

 private:
  FailureKind kind_ = FailureKind::kDevice;
  bool lost_ = false;
};

class Device {
 public:
  virtual ~Device() = default;

  // Runs one request. Its Error has Exit::kDevice if the device or its driver reports an error, or
  // if the kernel faults or exceeds the time limit; Exit::kInput if the program cannot be read.
  // The device can still run the next request.
  virtual DeviceAnswer run(const DeviceRequest& request) = 0;

  // Runs the requests in order and returns one answer per request. `done` is called with the number
  // of requests answered so far.
  std::vector<DeviceAnswer> run_all(std::span<const DeviceRequest> requests,
                                    const std::function<void(std::size_t)>& done = {}) {
    std::vector<DeviceAnswer> answers;
    for (const DeviceRequest& request : requests) {
      answers.push_back(run(request));
      if (done) done(answers.size());
    }
    return answers;
  }
};

}  // namespace burin::measure
