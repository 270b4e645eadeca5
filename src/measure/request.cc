#include "measure/request.h"

#include <cmath>

#include "base/format.h"
#include "launch/launch.h"

namespace burin::measure {
namespace {

Error wrong_request(std::string message) {
  return {std::move(message), Exit::kUsage};
}

Result<void> check_counts(const DeviceRequest& request) {
  const Stopping& stopping = request.stopping;
  if (request.repeats < 1 || request.repeats > kMaxLaunches) {
    return wrong_request(fmt::format("repeats must be 1 to {}", kMaxLaunches));
  }
  if (stopping.most > kMaxLaunches) {
    return wrong_request(fmt::format("launches must be at most {}", kMaxLaunches));
  }
  if (stopping.least > stopping.most) {
    return wrong_request(fmt::format("the least number of launches, {}, exceeds the most, {}",
                                     stopping.least, stopping.most));
  }
  if (stopping.most > 0 && stopping.least == 0) {
    return wrong_request("the least number of launches must be at least 1");
  }
  for (const double value :
       {stopping.target_spread, stopping.abort_above_us, stopping.max_seconds}) {
    if (!std::isfinite(value) || value < 0) {
      return wrong_request("the limits of the timed launches must be 0 or positive");
    }
  }
  if (request.repeats > 1 && request.outputs.empty()) {
    return wrong_request("repeats need an output folder");
  }
  if (request.keep_buffers && !request.outputs.empty()) {
    return wrong_request("buffers are kept only without an output folder");
  }
  return {};
}

Result<void> check_step(const DeviceRequest& request, std::size_t index) {
  const Step& step = request.steps[index];
  if (step.count < 1 || step.count > kMaxLaunches) {
    return wrong_request(fmt::format("count must be 1 to {}", kMaxLaunches));
  }
  for (std::size_t i = 0; i < step.launch.arguments.size(); ++i) {
    const launch::Argument& argument = step.launch.arguments[i];
    if (argument.reference() == nullptr) continue;
    const std::string where = fmt::format("argument {} '{}'", i, argument.text);
    if (index == 0) {
      return wrong_request(where + ": the first launch has its own buffers; write buf:BYTES");
    }
    const Result<const launch::Buffer*> buffer =
        launch::buffer_at(request.steps.front().launch, argument.reference()->argument);
    if (!buffer) return Error{where + ", of the first launch: " + buffer.error().message};
  }
  return {};
}

Result<void> check_expected(const DeviceRequest& request, const ExpectedOutput& output) {
  if (output.step >= request.steps.size()) {
    return wrong_request(fmt::format("an expected output is of step {}, but there are {} steps",
                                     output.step, request.steps.size()));
  }
  const Result<const launch::Buffer*> buffer =
      launch::buffer_at(request.steps[output.step].launch, output.argument);
  if (!buffer) return buffer.error().within("expected output");
  if (!output.tolerance) return {};
  if (!launch::is_float(output.type)) {
    return wrong_request(fmt::format("argument {} is compared as {}, which takes no tolerance",
                                     output.argument, launch::name(output.type)));
  }
  if (!std::isfinite(*output.tolerance) || *output.tolerance < 0) {
    return wrong_request(
        fmt::format("the tolerance of argument {} must be 0 or positive", output.argument));
  }
  return {};
}

}  // namespace

Result<void> check_request(const DeviceRequest& request) {
  if (request.steps.empty()) return wrong_request("there is no launch");
  if (Result<void> fine = check_counts(request); !fine) return fine;
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    if (Result<void> fine = check_step(request, i); !fine) {
      return request.steps.size() == 1 ? fine : fine.error().within(request.steps[i].kernel);
    }
  }
  if (request.check != Check::kNone && request.expected.empty()) {
    return wrong_request("there is no output to verify");
  }
  for (const ExpectedOutput& output : request.expected) {
    if (Result<void> fine = check_expected(request, output); !fine) return fine;
  }
  return {};
}

std::optional<BufferPlace> buffer_place(const DeviceRequest& request, std::size_t step,
                                        std::size_t argument) {
  const launch::Argument& passed = request.steps[step].launch.arguments[argument];
  if (passed.buffer() != nullptr) return BufferPlace{step, argument};
  if (passed.reference() != nullptr) return BufferPlace{0, passed.reference()->argument};
  return std::nullopt;
}

}  // namespace burin::measure
