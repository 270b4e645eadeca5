#include "gpu/worker.h"

#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "gpu/device_buffers.h"
#include "gpu/library.h"
#include "gpu/loaded_kernel.h"
#include "gpu/timing.h"
#include "measure/protocol.h"
#include "toolchain/tools.h"

namespace burin::gpu {
namespace {

bool serves_again(const measure::DeviceRequest& before, const measure::DeviceRequest& now) {
  const auto texts_equal = [](const launch::Argument& a, const launch::Argument& b) {
    return a.text == b.text;
  };
  return before.keep_buffers && now.keep_buffers && before.cubin == now.cubin &&
         before.kernel == now.kernel &&
         std::ranges::equal(before.launch.arguments, now.launch.arguments, texts_equal);
}

}  // namespace

bool Worker::answer(std::string_view line) {
  const Result<measure::DeviceRequest> request = measure::read_request(line);
  const Result<measure::DeviceResult> result = request ? run(*request) : request.error();
  say_(result ? measure::result_line(*result) : measure::error_line(result.error()));
  return result.ok();
}

// The time stamps before the context, which they would else miss; none where nothing is timed, so
// that a profiler that runs the worker finds CUPTI free.
Result<void> Worker::open(const measure::DeviceRequest& request) {
  if (!stamps_ && request.launches > 0) {
    stamps_.emplace(cupti_names(toolkit_library_folders(toolchain::toolkit_roots())));
  }
  if (gpu_ && device_ == request.device) return {};
  if (gpu_) return Error{fmt::format("this worker serves {}", gpu_->label()), Exit::kUsage};
  say_(measure::stage_line("opening the driver"));
  Result<GpuContext> gpu = GpuContext::open(request.device);
  if (!gpu) return gpu.error();
  gpu_.emplace(std::move(*gpu));
  device_ = request.device;
  return {};
}

Result<bool> Worker::prepare(const measure::DeviceRequest& request) {
  if (kept_ && serves_again(kept_->request, request)) {
    if (Result<void> done = kept_->buffers->restore(); !done) return done.error();
    return true;
  }
  kept_.reset();
  say_(measure::stage_line("filling the buffers"));
  auto kept = std::make_unique<Kept>(Kept{.request = request});
  Result<DeviceBuffers> buffers = DeviceBuffers::make(*gpu_, kept->request.launch);
  if (!buffers) return buffers.error();
  kept->buffers.emplace(std::move(*buffers));
  kept_ = std::move(kept);
  return false;
}

Result<measure::DeviceResult> Worker::run(const measure::DeviceRequest& request) {
  const Result<MappedFile> cubin = MappedFile::open(request.cubin);
  if (!cubin) return cubin.error();
  if (Result<void> done = open(request); !done) return done.error();

  const Result<bool> again = prepare(request);
  if (!again) return again.error();
  DeviceBuffers& buffers = *kept_->buffers;
  Result<LoadedKernel> kernel =
      LoadedKernel::load(*gpu_, cubin->bytes(), request, buffers.addresses());
  if (!kernel) return kernel.error();
  const auto launch_and_wait = [&]() -> Result<void> {
    if (Result<void> done = kernel->launch(); !done) return done;
    return gpu_->finish(kernel->demangled());
  };

  say_(measure::stage_line("running the kernel"));
  if (Result<void> done = launch_and_wait(); !done) return done.error();
  if (!*again) {
    Result<std::vector<measure::DeviceOutput>> outputs = buffers.collect(request.outputs);
    if (!outputs) return outputs.error();
    kept_->outputs = std::move(*outputs);
  }
  measure::DeviceResult result;
  result.gpu = gpu_->name();
  result.architecture = gpu_->architecture();
  result.driver = gpu_->driver();
  result.outputs = kept_->outputs;

  if (request.repeats > 1) say_(measure::stage_line("running the kernel again"));
  for (; result.repeats < request.repeats; ++result.repeats) {
    if (Result<void> done = buffers.restore(); !done) return done.error();
    if (Result<void> done = launch_and_wait(); !done) return done.error();
    const Result<bool> same = buffers.hold(result.outputs);
    if (!same) return same.error();
    if (*same) ++result.agreeing;
  }

  if (request.launches > 0) {
    say_(measure::stage_line("timing the kernel"));
    if (!caches_) {
      Result<CacheControl> caches = CacheControl::make(*gpu_);
      if (!caches) return caches.error();
      caches_.emplace(std::move(*caches));
    }
    if (Result<void> done =
            time_launches(*gpu_, *caches_, *stamps_, *kernel, buffers, request, result);
        !done) {
      return done.error();
    }
  }
  if (!request.keep_buffers) kept_.reset();
  return result;
}

}  // namespace burin::gpu
