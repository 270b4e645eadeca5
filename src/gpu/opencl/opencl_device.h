// An OpenCL device used from this process: for the worker (gpu/worker/worker.h), as
// gpu/cuda_device.h is for CUDA.
//
//   OpenclDevice device(1, [](std::string_view stage) { … });
//   DeviceAnswer answer = device.run(request);
//
// The program is OpenCL C source; the global size of a launch is its grid times its block. Times
// come from profiling events. For cold caches, a buffer larger than the cache is written before
// each run. Outputs are compared on the host.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/attempt.h"
#include "gpu/opencl/buffers.h"
#include "gpu/opencl/context.h"
#include "gpu/opencl/program.h"
#include "measure/device.h"

namespace burin::gpu {

class OpenclDevice : public measure::Device {
 public:
  using Stage = std::function<void(std::string_view stage)>;  // "running the kernel"

  // `number` is the N of opencl:N. The device is opened by the first request.
  OpenclDevice(unsigned number, Stage stage) : number_(number), stage_(std::move(stage)) {}
  ~OpenclDevice() override;

  measure::DeviceAnswer run(const measure::DeviceRequest& request) override;

 private:
  Attempt<void> open();
  Attempt<const OpenclProgram*> build(const measure::DeviceRequest& request);
  measure::DeviceAnswer run_steps(const measure::DeviceRequest& request);
  Attempt<void> launch_and_wait(OpenclSteps& steps);
  Attempt<void> verify(const measure::DeviceRequest& request, measure::DeviceResult& result);
  Attempt<measure::CheckedBuffer> compare(const measure::DeviceRequest& request, std::size_t index);
  Attempt<void> repeat(const measure::DeviceRequest& request, OpenclSteps& steps,
                       measure::DeviceResult& result);
  Attempt<void> time(const measure::DeviceRequest& request, OpenclSteps& steps,
                     measure::DeviceResult& result);
  // One timed run, µs.
  Attempt<double> time_once(const measure::DeviceRequest& request, OpenclSteps& steps);
  Result<void> empty_caches();

  unsigned number_;
  Stage stage_;
  std::unique_ptr<OpenclContext> device_;
  std::unique_ptr<OpenclBuffers> buffers_;
  // Programs that were built, by source and options; the oldest is dropped first.
  std::vector<std::pair<std::string, OpenclProgram>> programs_;
  std::vector<std::vector<std::uint8_t>> reference_;  // one per expected output
  OpenclHandle flushed_ = nullptr;                    // buffer larger than the cache
  std::uint64_t flushed_bytes_ = 0;
  std::optional<std::chrono::steady_clock::time_point> last_timed_;
};

}  // namespace burin::gpu
