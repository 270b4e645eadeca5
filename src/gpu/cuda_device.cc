#include "gpu/cuda_device.h"

#include "base/file.h"
#include "gpu/library.h"
#include "gpu/timing.h"
#include "measure/request.h"
#include "toolchain/tools.h"

namespace burin::gpu {
namespace {

using measure::FailureKind;

// After so long without work a GPU may have lowered its clock.
constexpr std::chrono::milliseconds kIdle{50};

// Nothing ran, so the buffers hold what they did.
bool failed_before_running(const measure::DeviceRequest& request, FailureKind kind) {
  return kind == FailureKind::kRequest || kind == FailureKind::kCompile ||
         (kind == FailureKind::kLaunch && request.steps.size() == 1);
}

}  // namespace

// The time stamps before the context, which they would else miss; none where nothing is timed, so
// that a profiler that runs the worker finds CUPTI free. burin's own kernels before any other:
// CUPTI identifies kernels by handles, which are reused when a kernel is unloaded.
Attempt<void> CudaDevice::open(const measure::DeviceRequest& request) {
  if (!stamps_ && request.stopping.most > 0) {
    stamps_.emplace(cupti_names(toolkit_library_folders(toolchain::toolkit_roots())));
  }
  if (opened_ == nullptr) {
    stage_("opening the driver");
    Result<GpuContext> gpu = GpuContext::open(number_);
    if (!gpu) return {gpu.error()};
    auto opened = std::make_unique<Opened>(std::move(*gpu));
    Result<DeviceComparer> comparer = DeviceComparer::make(opened->gpu);
    if (!comparer) return {comparer.error()};
    opened->comparer.emplace(std::move(*comparer));
    opened->buffers.emplace(opened->gpu, *opened->comparer);
    opened->reference.emplace(opened->gpu, *opened->comparer);
    opened_ = std::move(opened);
  }
  if (!opened_->caches && request.stopping.most > 0) {
    Result<CacheControl> caches = CacheControl::make(opened_->gpu);
    if (!caches) return {caches.error()};
    opened_->caches.emplace(std::move(*caches));
  }
  return {};
}

measure::DeviceAnswer CudaDevice::run(const measure::DeviceRequest& request) {
  if (Result<void> fine = measure::check_request(request); !fine) {
    return {fine.error(), FailureKind::kRequest};
  }
  if (!request.options.empty()) {
    return {Error{"build options are for OpenCL; a CUDA program is compiled already", Exit::kUsage},
            FailureKind::kRequest};
  }
  measure::DeviceAnswer answer = run_steps(request);
  if (answer) return answer;
  if (opened_ != nullptr && opened_->gpu.lost()) {
    // Whatever call reported it, a kernel has faulted.
    return measure::DeviceAnswer(answer.error(), FailureKind::kRuntime).set_lost();
  }
  if (opened_ != nullptr && !failed_before_running(request, answer.kind())) {
    opened_->buffers->clear();
  }
  return answer;
}

measure::DeviceAnswer CudaDevice::run_steps(const measure::DeviceRequest& request) {
  const Result<MappedFile> file = MappedFile::open(request.program);
  if (!file) return {file.error(), FailureKind::kRequest};
  if (Attempt<void> done = open(request); !done) return failure(done);
  DeviceBuffers& buffers = *opened_->buffers;
  if (Attempt<void> done = buffers.make(request, [&] { stage_("filling the buffers"); }); !done) {
    return failure(done);
  }
  Attempt<LoadedProgram> program =
      LoadedProgram::load(opened_->gpu, file->bytes(), request, buffers.addresses(request));
  if (!program) return failure(program);

  stage_("running the kernel");
  if (Attempt<void> done = launch_and_wait(*program); !done) return failure(done);
  Result<std::vector<measure::DeviceOutput>> outputs = buffers.collect(request.outputs);
  if (!outputs) return {outputs.error(), FailureKind::kDevice};
  measure::DeviceResult result;
  result.gpu = opened_->gpu.name();
  result.architecture = opened_->gpu.architecture();
  result.driver = opened_->gpu.driver();
  result.outputs = std::move(*outputs);
  if (Attempt<void> done = verify(request, result); !done) return failure(done);
  if (Attempt<void> done = repeat(request, *program, result); !done) return failure(done);
  if (Attempt<void> done = time(request, *program, result); !done) return failure(done);
  if (!request.keep_buffers) buffers.clear();
  return result;
}

Attempt<void> CudaDevice::launch_and_wait(LoadedProgram& program) {
  if (Attempt<void> done = program.launch(); !done) return done;
  if (Result<void> done = opened_->gpu.finish(program.kernels()); !done) {
    return {done.error(), FailureKind::kRuntime};
  }
  program.release_used();
  return {};
}

Attempt<void> CudaDevice::verify(const measure::DeviceRequest& request,
                                 measure::DeviceResult& result) {
  if (request.check == measure::Check::kNone) return {};
  stage_("verifying the outputs");
  if (request.check == measure::Check::kKeep) {
    return opened_->reference->keep(request, *opened_->buffers);
  }
  Attempt<std::vector<measure::CheckedBuffer>> checked =
      opened_->reference->compare(request, *opened_->buffers);
  if (!checked) return {checked.error(), checked.kind()};
  result.checked = std::move(*checked);
  return {};
}

Attempt<void> CudaDevice::repeat(const measure::DeviceRequest& request, LoadedProgram& program,
                                 measure::DeviceResult& result) {
  if (request.repeats > 1) stage_("running the kernel again");
  for (; result.repeats < request.repeats; ++result.repeats) {
    if (Result<void> done = opened_->buffers->restore(); !done) return {done.error()};
    if (Attempt<void> done = launch_and_wait(program); !done) return done;
    const Result<bool> same = opened_->buffers->hold(result.outputs);
    if (!same) return {same.error()};
    if (*same) ++result.agreeing;
  }
  return {};
}

Attempt<void> CudaDevice::time(const measure::DeviceRequest& request, LoadedProgram& program,
                               measure::DeviceResult& result) {
  if (request.stopping.most == 0 || !result.correct()) return {};
  stage_("timing the kernel");
  const bool idle = !last_timed_ || std::chrono::steady_clock::now() - *last_timed_ > kIdle;
  const TimingTools tools{opened_->gpu, *opened_->caches, *stamps_, clocks_};
  Attempt<void> done = time_launches(tools, program, *opened_->buffers, request, idle, result);
  last_timed_ = std::chrono::steady_clock::now();
  return done;
}

}  // namespace burin::gpu
