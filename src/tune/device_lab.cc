#include "tune/device_lab.h"

#include <algorithm>
#include <chrono>

#include "base/format.h"
#include "base/host_name.h"
#include "base/text.h"
#include "launch/compare.h"
#include "measure/sample.h"

namespace burin::tune {
namespace {

using measure::Check;
using measure::DeviceAnswer;
using measure::DeviceRequest;
using measure::FailureKind;
using LabClock = std::chrono::steady_clock;

// The reference may take so many times longer than a configuration.
constexpr double kReferencePatience = 5;

std::int64_t unix_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// What a failed request means for the configuration; nothing if it means that nothing can be
// measured at all.
std::optional<Status> status_of(FailureKind kind) {
  switch (kind) {
    case FailureKind::kCompile:
      return Status::kCompile;
    case FailureKind::kLaunch:
      return Status::kConstraints;
    case FailureKind::kRuntime:
      return Status::kRuntime;
    case FailureKind::kTimeout:
      return Status::kTimeout;
    case FailureKind::kRequest:
    case FailureKind::kDevice:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string difference(const measure::DeviceResult& result) {
  for (const measure::CheckedBuffer& buffer : result.checked) {
    const launch::Comparison& found = buffer.comparison;
    if (found.equal()) continue;
    return fmt::format(
        "argument {} differs from the reference in {} of {}; element {} is {} instead of {}",
        buffer.argument, with_commas(found.different), count_of(found.elements, "element"),
        found.first, found.got, found.expected);
  }
  return "";
}

}  // namespace

DeviceLab::DeviceLab(Builder& builder, measure::Device& device, LabOptions options)
    : builder_(builder), device_(device), options_(std::move(options)) {}

void DeviceLab::submit(const Point& point, const TrialLimits& limits) {
  builder_.start(point);
  queue_.push_back({point, limits});
}

Result<Trial> DeviceLab::wait() {
  const Queued queued = std::move(queue_.front());
  queue_.pop_front();
  return run(queued);
}

Result<Trial> DeviceLab::run(const Queued& queued) {
  Trial trial{.point = queued.point};
  trial.host = host_name();
  Result<Built> built = builder_.finish(queued.point);
  if (!built) return built.error();
  trial.compile_seconds = built->compile_seconds;
  trial.figures = built->figures;
  trial.status = built->status;
  trial.reason = built->reason;
  const auto start = LabClock::now();
  if (trial.status == Status::kOk) {
    if (Result<void> done = measure(*built, queued.limits, trial); !done) return done.error();
  }
  trial.measure_seconds = std::chrono::duration<double>(LabClock::now() - start).count();
  trial.device = device_name_;
  trial.unix_ms = unix_milliseconds();
  return trial;
}

// A worker that was replaced holds no outputs any more.
DeviceAnswer DeviceLab::ask(const DeviceRequest& request) {
  DeviceAnswer answer = device_.run(request);
  if (answer.ok()) {
    device_name_ = answer->gpu;
  } else if (answer.kind() == FailureKind::kTimeout || answer.kind() == FailureKind::kRuntime) {
    reference_kept_ = false;
  }
  return answer;
}

DeviceRequest DeviceLab::with_options(DeviceRequest request) const {
  request.device = options_.device;
  request.limit_seconds = options_.limit_seconds;
  request.keep_buffers = true;
  request.caches = options_.caches;
  return request;
}

Result<void> DeviceLab::measure(const Built& built, const TrialLimits& limits, Trial& trial) {
  DeviceRequest request = with_options(built.request);
  request.stopping = options_.stopping;
  if (limits.best_time_us < 1e300) {
    request.stopping.abort_above_us = limits.best_time_us * options_.give_up;
  }
  std::optional<Error> no_reference;
  if (options_.verify && builder_.verifies()) {
    const Result<Check> check = expect_outputs(built, trial.point);
    if (check) {
      request.check = *check;
      request.expected = expected_;
    } else if (reference_ && !reference_proven_) {
      // It was built with the macros of this configuration, which may be to blame.
      no_reference = check.error();
      reference_.reset();
      request.stopping = measure::exactly(0);
    } else {
      return check.error();
    }
  }
  DeviceAnswer answer = ask(request);
  if (!answer) {
    const std::optional<Status> status = status_of(answer.kind());
    if (!status) return answer.error();
    trial.status = *status;
    trial.reason = answer.error().message;
    return {};
  }
  if (no_reference) return *no_reference;
  if (!answer->correct()) {
    trial.status = Status::kCorrectness;
    trial.reason = difference(*answer);
    return {};
  }
  if (request.check == Check::kKeep) {
    reference_ = built.request;
    reference_kept_ = reference_proven_ = true;
  }
  trial.times_us = answer->times_us;
  trial.cut_short = answer->cut_short;
  trial.time_us = measure::summarize(answer->times_us).median;
  if (answer->interval) {
    trial.figures["low_us"] = answer->interval->low_us;
    trial.figures["high_us"] = answer->interval->high_us;
    trial.reason = answer->interval->measure_because;
  }
  const Result<double> objective = builder_.objective(built, trial.time_us);
  if (!objective) return objective.error();
  trial.objective = *objective;
  return {};
}

Result<Check> DeviceLab::expect_outputs(const Built& built, const Point& point) {
  if (!reference_) {
    Result<std::optional<Built>> given = builder_.reference(options_.trusted.value_or(point));
    if (!given) return given.error();
    if (!*given && options_.trusted) {
      Result<Built> trusted = builder_.finish(*options_.trusted);
      if (!trusted) return trusted.error();
      if (trusted->status == Status::kOk) *given = std::move(*trusted);
    }
    if (*given) reference_ = (*given)->request;
  }
  if (!reference_) {
    // A configuration that fails says nothing about the outputs; the next one will.
    if (expected_.empty() && !find_outputs(built.request)) return Check::kNone;
    return expected_.empty() ? Check::kNone : Check::kKeep;
  }
  if (expected_.empty()) {
    if (Result<void> found = find_outputs(*reference_); !found) {
      return found.error().within("the reference");
    }
  }
  const bool from_files = std::ranges::all_of(
      expected_, [](const measure::ExpectedOutput& output) { return !output.file.empty(); });
  if (!reference_kept_ && !from_files) {
    if (Result<void> kept = keep_reference(); !kept) return kept.error();
  }
  return Check::kCompare;
}

// Runs the reference once, untimed.
Result<void> DeviceLab::keep_reference() {
  DeviceRequest request = with_options(*reference_);
  request.limit_seconds = options_.limit_seconds * kReferencePatience;
  request.stopping = measure::exactly(0);
  request.check = Check::kKeep;
  request.expected = expected_;
  const DeviceAnswer answer = ask(request);
  if (!answer) return answer.error().within("the reference");
  reference_kept_ = reference_proven_ = true;
  return {};
}

// The outputs are what the spec names; else every buffer that a run changes.
Result<void> DeviceLab::find_outputs(const DeviceRequest& from) {
  expected_ = builder_.outputs(from);
  if (!expected_.empty()) return {};
  DeviceRequest request = with_options(from);
  request.stopping = measure::exactly(0);
  const DeviceAnswer answer = ask(request);
  if (!answer) return answer.error();
  for (const measure::DeviceOutput& output : answer->outputs) {
    if (!output.changed) continue;
    expected_.push_back(expected_output(from, output.step, output.argument));
  }
  return {};
}

Result<std::vector<double>> DeviceLab::measure_again(const Point& point) {
  auto known = finalists_.find(point);
  if (known == finalists_.end()) {
    Result<Built> built = builder_.finish(point);
    if (!built) return built.error();
    known = finalists_.emplace(point, std::move(*built)).first;
  }
  if (known->second.status != Status::kOk) return std::vector<double>{};
  DeviceRequest request = with_options(known->second.request);
  request.stopping = measure::exactly(options_.final_samples);
  const DeviceAnswer answer = ask(request);
  if (answer) return answer->times_us;
  if (status_of(answer.kind())) return std::vector<double>{};
  return answer.error();
}

}  // namespace burin::tune
