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

namespace burin {
namespace {

bool serves_again(const DeviceRequest& before, const DeviceRequest& now) {
  const auto texts_equal = [](const Argument& a, const Argument& b) { return a.text == b.text; };
  return before.keep_buffers && now.keep_buffers && before.cubin == now.cubin &&
         before.kernel == now.kernel &&
         std::ranges::equal(before.launch.arguments, now.launch.arguments, texts_equal);
}

}  // namespace

bool Worker::answer(std::string_view line) {
  const Result<DeviceRequest> request = read_request(line);
  const Result<DeviceResult> result = request ? run(*request) : request.error();
  say_(result ? result_line(*result) : error_line(result.error()));
  return result.ok();
}

// The time stamps before the context, which they would else miss; none where nothing is timed, so
// that a profiler that runs the worker finds CUPTI free.
Result<void> Worker::open(const DeviceRequest& request) {
  if (!stamps_ && request.launches > 0) {
    stamps_.emplace(cupti_names(toolkit_library_folders(toolkit_roots())));
  }
  if (gpu_ && device_ == request.device) return {};
  if (gpu_) return Error{fmt::format("this worker serves {}", gpu_->label()), Exit::kUsage};
  say_(stage_line("opening the driver"));
  Result<GpuContext> gpu = GpuContext::open(request.device);
  if (!gpu) return gpu.error();
  gpu_.emplace(std::move(*gpu));
  device_ = request.device;
  return {};
}

Result<bool> Worker::prepare(const DeviceRequest& request) {
  if (kept_ && serves_again(kept_->request, request)) {
    if (Result<void> done = kept_->buffers->restore(); !done) return done.error();
    return true;
  }
  kept_.reset();
  say_(stage_line("filling the buffers"));
  auto kept = std::make_unique<Kept>(Kept{.request = request});
  Result<DeviceBuffers> buffers = DeviceBuffers::make(*gpu_, kept->request.launch);
  if (!buffers) return buffers.error();
  kept->buffers.emplace(std::move(*buffers));
  kept_ = std::move(kept);
  return false;
}

Result<DeviceResult> Worker::run(const DeviceRequest& request) {
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

  say_(stage_line("running the kernel"));
  if (Result<void> done = launch_and_wait(); !done) return done.error();
  if (!*again) {
    Result<std::vector<DeviceOutput>> outputs = buffers.collect(request.outputs);
    if (!outputs) return outputs.error();
    kept_->outputs = std::move(*outputs);
  }
  DeviceResult result;
  result.gpu = gpu_->name();
  result.architecture = gpu_->architecture();
  result.driver = gpu_->driver();
  result.outputs = kept_->outputs;

  if (request.repeats > 1) say_(stage_line("running the kernel again"));
  for (; result.repeats < request.repeats; ++result.repeats) {
    if (Result<void> done = buffers.restore(); !done) return done.error();
    if (Result<void> done = launch_and_wait(); !done) return done.error();
    const Result<bool> same = buffers.hold(result.outputs);
    if (!same) return same.error();
    if (*same) ++result.agreeing;
  }

  if (request.launches > 0) {
    say_(stage_line("timing the kernel"));
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

}  // namespace burin
