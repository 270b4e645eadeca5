#include "gpu/opencl/opencl_device.h"

#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "launch/compare.h"
#include "measure/request.h"

namespace burin::gpu {
namespace {

using Kind = measure::FailureKind;
using OpenclClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kIdleTime{50};
constexpr std::size_t kMaxPrograms = 32;
constexpr std::uint64_t kMinFlushBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kMaxFlushBytes = std::uint64_t{1} << 30;

// What only CUDA has.
Result<void> check_opencl(const measure::DeviceRequest& request) {
  const auto no = [](std::string_view what) {
    return Error{fmt::format("OpenCL has no {}", what), Exit::kUsage};
  };
  if (!request.settings.empty()) return no("variables that can be set from outside");
  for (const measure::Step& step : request.steps) {
    if (step.cooperative) return no("cooperative launches");
    if (step.launch.cluster) return no("clusters");
    if (step.launch.shared_bytes != 0) {
      return no("dynamic shared memory; pass local:BYTES as an argument");
    }
  }
  return {};
}

}  // namespace

OpenclDevice::~OpenclDevice() {
  if (flushed_ != nullptr) device_->opencl().release(flushed_);
  programs_.clear();
  buffers_.reset();
}

Attempt<void> OpenclDevice::open() {
  if (device_ != nullptr) return {};
  stage_("opening the driver");
  Result<OpenclContext> device = OpenclContext::open(number_);
  if (!device) return {device.error()};
  device_ = std::make_unique<OpenclContext>(std::move(*device));
  buffers_ = std::make_unique<OpenclBuffers>(*device_);
  return {};
}

measure::DeviceAnswer OpenclDevice::run(const measure::DeviceRequest& request) {
  Result<void> fine = measure::check_request(request);
  if (fine) fine = check_opencl(request);
  if (!fine) return {fine.error(), Kind::kRequest};
  measure::DeviceAnswer answer = run_steps(request);
  // After a fault no driver promises that the context is still of use.
  if (!answer && answer.kind() == Kind::kRuntime) answer.set_lost();
  if (!answer && buffers_ != nullptr && answer.kind() == Kind::kDevice) buffers_->clear();
  return answer;
}

Attempt<const OpenclProgram*> OpenclDevice::build(const measure::DeviceRequest& request) {
  const Result<MappedFile> file = MappedFile::open(request.program);
  if (!file) return {file.error(), Kind::kRequest};
  const std::string source(reinterpret_cast<const char*>(file->bytes().data()),
                           file->bytes().size());
  std::string key = request.options + '\0' + source;
  const auto found = std::ranges::find(
      programs_, key, [](const auto& entry) -> const std::string& { return entry.first; });
  if (found != programs_.end()) return &found->second;
  stage_("compiling the program");
  Attempt<OpenclProgram> program = OpenclProgram::build(*device_, source, request.options);
  if (!program) return {program.error().within(request.program), program.kind()};
  if (programs_.size() == kMaxPrograms) programs_.erase(programs_.begin());
  programs_.emplace_back(std::move(key), std::move(*program));
  return &programs_.back().second;
}

measure::DeviceAnswer OpenclDevice::run_steps(const measure::DeviceRequest& request) {
  if (Attempt<void> done = open(); !done) return failure(done);
  const Attempt<const OpenclProgram*> program = build(request);
  if (!program) return failure(program);
  if (Attempt<void> done = buffers_->make(request, [&] { stage_("filling the buffers"); }); !done) {
    return failure(done);
  }
  Attempt<OpenclSteps> steps = OpenclSteps::make(*device_, **program, request, *buffers_);
  if (!steps) return failure(steps);

  stage_("running the kernel");
  if (Attempt<void> done = launch_and_wait(*steps); !done) return failure(done);
  Result<std::vector<measure::DeviceOutput>> outputs = buffers_->collect(request.outputs);
  if (!outputs) return {outputs.error(), Kind::kDevice};
  measure::DeviceResult result;
  result.gpu = device_->info().name;
  result.architecture = device_->info().version;
  result.driver = device_->info().driver;
  result.outputs = std::move(*outputs);
  if (Attempt<void> done = verify(request, result); !done) return failure(done);
  if (Attempt<void> done = repeat(request, *steps, result); !done) return failure(done);
  if (Attempt<void> done = time(request, *steps, result); !done) return failure(done);
  if (!request.keep_buffers) buffers_->clear();
  return result;
}

Attempt<void> OpenclDevice::launch_and_wait(OpenclSteps& steps) {
  if (Attempt<void> done = steps.launch(); !done) return done;
  return steps.finish();
}

Attempt<void> OpenclDevice::verify(const measure::DeviceRequest& request,
                                   measure::DeviceResult& result) {
  if (request.check == measure::Check::kNone) return {};
  stage_("verifying the outputs");
  if (request.check == measure::Check::kKeep) reference_.clear();
  for (std::size_t i = 0; i < request.expected.size(); ++i) {
    if (request.check == measure::Check::kKeep) {
      const measure::ExpectedOutput& output = request.expected[i];
      Result<std::vector<std::uint8_t>> contents = buffers_->read({output.step, output.argument});
      if (!contents) return {contents.error()};
      reference_.push_back(std::move(*contents));
      continue;
    }
    Attempt<measure::CheckedBuffer> checked = compare(request, i);
    if (!checked) return {checked.error(), checked.kind()};
    result.checked.push_back(std::move(*checked));
  }
  return {};
}

Attempt<measure::CheckedBuffer> OpenclDevice::compare(const measure::DeviceRequest& request,
                                                      std::size_t index) {
  const measure::ExpectedOutput& output = request.expected[index];
  const Result<std::vector<std::uint8_t>> got = buffers_->read({output.step, output.argument});
  if (!got) return {got.error()};
  std::optional<MappedFile> file;
  Bytes expected;
  if (!output.file.empty()) {
    Result<MappedFile> opened = MappedFile::open(output.file);
    if (!opened) return {opened.error(), Kind::kRequest};
    file.emplace(std::move(*opened));
    expected = file->bytes();
  } else if (index < reference_.size()) {
    expected = reference_[index];
  } else {
    return {Error{"there is no reference yet; run the reference configuration first"},
            Kind::kRequest};
  }
  if (expected.size() != got->size()) {
    return {Error{fmt::format("{} has {}, but the buffer of argument {} has {}",
                              file ? output.file : "the reference",
                              count_of(expected.size(), "byte"), output.argument, got->size())},
            Kind::kRequest};
  }
  launch::Comparer comparer(output.type, output.tolerance);
  comparer.add(*got, expected);
  return measure::CheckedBuffer{output.step, output.argument, comparer.result()};
}

Attempt<void> OpenclDevice::repeat(const measure::DeviceRequest& request, OpenclSteps& steps,
                                   measure::DeviceResult& result) {
  if (request.repeats > 1) stage_("running the kernel again");
  for (; result.repeats < request.repeats; ++result.repeats) {
    if (Result<void> done = buffers_->restore(); !done) return {done.error()};
    if (Attempt<void> done = launch_and_wait(steps); !done) return done;
    const Result<bool> same = buffers_->hold(result.outputs);
    if (!same) return {same.error()};
    if (*same) ++result.agreeing;
  }
  return {};
}

Result<void> OpenclDevice::empty_caches() {
  const Opencl& opencl = device_->opencl();
  if (flushed_ == nullptr) {
    flushed_bytes_ = std::clamp(3 * device_->info().cache_bytes, kMinFlushBytes, kMaxFlushBytes);
    flushed_bytes_ = std::min(flushed_bytes_, device_->info().max_allocation_bytes / 4 * 4);
    OpenclStatus status = 0;
    flushed_ =
        opencl.allocate(device_->context(), Opencl::kReadWrite, flushed_bytes_, nullptr, &status);
    if (auto done = device_->check(status, "clCreateBuffer"); !done) {
      flushed_ = nullptr;
      return done;
    }
  }
  const std::uint32_t pattern = 0x5eed5eed;
  return device_->check(opencl.fill(device_->queue(), flushed_, &pattern, sizeof pattern, 0,
                                    flushed_bytes_, 0, nullptr, nullptr),
                        "clEnqueueFillBuffer");
}

Attempt<double> OpenclDevice::time_once(const measure::DeviceRequest& request, OpenclSteps& steps) {
  if (Result<void> done = buffers_->restore(); !done) return {done.error()};
  if (request.caches == measure::Caches::kCold) {
    if (Result<void> done = empty_caches(); !done) return {done.error()};
  }
  // The kernel does not share the device with what came before it.
  if (auto done = device_->check(device_->opencl().finish(device_->queue()), "clFinish"); !done) {
    return {done.error()};
  }
  if (Attempt<void> done = launch_and_wait(steps); !done) return {done.error(), done.kind()};
  const Result<double> time = steps.time_us();
  if (!time) return {time.error()};
  return *time;
}

Attempt<void> OpenclDevice::time(const measure::DeviceRequest& request, OpenclSteps& steps,
                                 measure::DeviceResult& result) {
  if (request.stopping.most == 0 || !result.correct()) return {};
  stage_("timing the kernel");
  const bool idle = !last_timed_ || OpenclClock::now() - *last_timed_ > kIdleTime;
  const auto warm_until =
      OpenclClock::now() + std::chrono::milliseconds(idle ? request.warm_up_ms : 0);
  measure::StoppingRule rule(request.stopping);
  double rough_us = 0;
  do {
    const Attempt<double> rough = time_once(request, steps);
    if (!rough) return {rough.error(), rough.kind()};
    rough_us = *rough;
  } while (OpenclClock::now() < warm_until);
  rule.add_rough(rough_us);
  result.caches = request.caches;
  result.timer = "profiling";
  const auto start = OpenclClock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(OpenclClock::now() - start).count();
  };
  while (const unsigned runs = rule.next(seconds())) {
    std::vector<double> times;
    for (unsigned i = 0; i < runs; ++i) {
      const Attempt<double> each = time_once(request, steps);
      if (!each) return {each.error(), each.kind()};
      times.push_back(*each);
    }
    rule.add(times, false);
  }
  result.times_us = rule.times_us();
  result.cut_short = rule.cut_short();
  result.settled = rule.settled();
  last_timed_ = OpenclClock::now();
  return {};
}

}  // namespace burin::gpu
