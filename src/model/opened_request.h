// The kernels and launches of a request for a device, from its cubin: what the emulator runs
// instead of the device.
//
//   Result<OpenedRequest> opened = OpenedRequest::open(built.request, {.dependences = true});
//   for (const OpenedStep& step : opened->steps()) predict(step.kernel, step.launch, …);
#pragma once

#include <memory>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "launch/launch.h"
#include "measure/device.h"
#include "read/program/kernel.h"
#include "tune/compiled_kernels.h"

namespace burin::model {

struct OpenedStep {
  read::Kernel kernel;
  launch::Launch launch{};  // with the buffers of the first step in place of @I, and the settings
  unsigned count = 1;       // launched so many times in a row
};

class OpenedRequest {
 public:
  // `failure`, if given, receives the kind of an Error.
  static Result<OpenedRequest> open(const measure::DeviceRequest& request,
                                    read::KernelOptions options,
                                    measure::FailureKind* failure = nullptr);

  const std::vector<OpenedStep>& steps() const { return steps_; }
  const read::Image& image() const { return cubin_->kernels.image(); }

 private:
  struct Cubin {
    MappedFile file;
    tune::CompiledKernels kernels;
  };

  std::unique_ptr<Cubin> cubin_;  // the kernels refer to it
  std::vector<OpenedStep> steps_;
};

}  // namespace burin::model
