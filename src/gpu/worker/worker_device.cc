#include "gpu/worker/worker_device.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/format.h"
#include "measure/device_name.h"
#include "measure/protocol.h"

namespace burin::gpu {
namespace {

using measure::FailureKind;
using WorkerClock = std::chrono::steady_clock;

// A new worker has so much time in addition to open the device and to fill the buffers, so that
// replacing a worker does not make the next request late.
constexpr double kStartSeconds = 60;

// Stages that a worker tells (measure/protocol.h).
constexpr std::string_view kCompiling = "compiling the program";
constexpr std::string_view kRunning = "running the kernel";

double seconds_since_start(WorkerClock::time_point start) {
  return std::chrono::duration<double>(WorkerClock::now() - start).count();
}

// The reference comes from this worker, not from files.
bool needs_reference(const measure::DeviceRequest& request) {
  return request.check == measure::Check::kCompare &&
         std::ranges::any_of(request.expected, [](const measure::ExpectedOutput& output) {
           return output.file.empty();
         });
}

}  // namespace

Result<void> WorkerDevice::start(const std::string& device) {
  if (worker_ && device_ == device) return {};
  worker_.reset();
  Result<Process> process = Process::start(burin_, {"worker", "--attended"});
  if (!process) return process.error();
  worker_.emplace(std::move(*process));
  device_ = device;
  fresh_ = true;
  has_reference_ = false;
  ++started_;
  return {};
}

// Of a worker that ended, or was ended, before it had answered.
measure::DeviceAnswer WorkerDevice::not_answered(const measure::DeviceRequest& request,
                                                 const measure::WorkerAnswer& received,
                                                 bool timed_out) const {
  const std::string doing = received.stage.empty() ? "starting" : received.stage;
  if (timed_out) {
    const std::string subject =
        doing == kCompiling ? fmt::format("the compiler of {} did not finish", request.device)
                            : fmt::format("{} did not finish {}", request.device, doing);
    return {Error{fmt::format("{} within {:g} seconds; its worker was killed", subject,
                              request.limit_seconds),
                  Exit::kDevice},
            FailureKind::kTimeout};
  }
  std::string sentence = fmt::format("the worker of {} crashed while {}", request.device, doing);
  if (!received.other.empty()) sentence += "; its output: " + received.other;
  const bool open = received.stage != "" && received.stage != "opening the driver";
  return {Error{sentence, Exit::kDevice}, doing == kCompiling ? FailureKind::kCompile
                                          : open              ? FailureKind::kRuntime
                                                              : FailureKind::kDevice};
}

std::optional<measure::DeviceAnswer> WorkerDevice::ask(const measure::DeviceRequest& request) {
  const auto begin = WorkerClock::now();
  double limit = request.limit_seconds + (fresh_ ? kStartSeconds : 0);
  // While a new worker starts, a compiler that hangs is not given its extra time.
  std::optional<double> compiler_limit;
  bool starting = fresh_;
  measure::WorkerAnswer received;
  Process::Line line;
  bool silent = true;
  if (worker_->send(measure::request_line(request))) {
    while (!received.whole) {
      const double until = std::min(limit, compiler_limit.value_or(limit));
      line = worker_->read_line(std::max(0.0, until - seconds_since_start(begin)));
      measure::add_line(received, line.text);
      if (line.status != Process::Line::Status::kLine) break;
      silent = false;
      if (received.stage != kCompiling) {
        compiler_limit.reset();
      } else if (!compiler_limit) {
        compiler_limit = seconds_since_start(begin) + request.limit_seconds;
      }
      if (starting && received.stage == kRunning) {
        starting = false;
        limit = std::min(limit, seconds_since_start(begin) + request.limit_seconds);
      }
    }
  }
  if (received.whole) {
    fresh_ = false;
    if (received.answer.lost()) worker_.reset();
    return received.answer;
  }
  worker_.reset();
  const bool timed_out = line.status == Process::Line::Status::kTimedOut;
  if (silent && !fresh_ && !timed_out) return std::nullopt;
  return not_answered(request, received, timed_out);
}

measure::DeviceAnswer WorkerDevice::run(const measure::DeviceRequest& request) {
  for (;;) {
    if (Result<void> done = start(request.device); !done) return done.error();
    if (needs_reference(request) && !has_reference_ && reference_ &&
        reference_->device == request.device) {
      measure::DeviceRequest again = *reference_;
      again.stopping = measure::exactly(0);
      const auto made = ask(again);
      if (!made) continue;
      if (!*made) return {made->error().within("making the reference again"), made->kind()};
      has_reference_ = true;
    }
    const auto answer = ask(request);
    if (!answer) continue;
    if (*answer && request.check == measure::Check::kKeep) {
      reference_ = request;
      has_reference_ = true;
    }
    return *answer;
  }
}

std::string path_of_this_program() {
  std::error_code wrong;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", wrong);
  return wrong ? "burin" : path.string();
}

Result<unsigned> parse_device(std::string_view text) {
  const Result<measure::DeviceName> name = measure::parse_device_name(text);
  if (!name || name->kind != measure::DeviceKind::kCuda) {
    return Error{fmt::format("unknown device '{}'; a GPU is cuda:N, such as cuda:0", text),
                 Exit::kUsage};
  }
  return name->number;
}

}  // namespace burin::gpu
