#include "model/emulated_device.h"

#include "base/file.h"
#include "base/format.h"
#include "launch/setting.h"
#include "read/program/kernel.h"
#include "timing/predict.h"
#include "tune/compiled_kernels.h"

namespace burin::model {
namespace {

using measure::DeviceAnswer;
using measure::FailureKind;

// A step after the first, with the buffers of the first in place of @I.
launch::Launch with_buffers(const launch::Launch& first, launch::Launch launch) {
  for (launch::Argument& argument : launch.arguments) {
    if (const launch::BufferReference* same = argument.reference()) {
      argument.value = launch::Argument(first.arguments[same->argument]).value;
    }
  }
  return launch;
}

}  // namespace

DeviceAnswer EmulatedDevice::run(const measure::DeviceRequest& request) {
  const Result<MappedFile> file = MappedFile::open(request.program);
  if (!file) return {file.error(), FailureKind::kRequest};
  const Result<tune::CompiledKernels> kernels = tune::CompiledKernels::read(file->bytes());
  if (!kernels) return {kernels.error(), FailureKind::kCompile};

  measure::DeviceResult result;
  result.gpu = "emulator:" + machine_.name;
  result.architecture = read::to_string(kernels->image().arch);
  result.timer = "predicted";
  if (request.stopping.most == 0) return result;
  double time_us = 0;
  for (const measure::Step& step : request.steps) {
    const Result<const read::Function*> function = kernels->find(step.kernel);
    if (!function) return {function.error(), FailureKind::kRequest};
    const Result<read::Kernel> kernel =
        read::build_kernel(kernels->image(), **function, {.dependences = false});
    if (!kernel) return {kernel.error(), FailureKind::kCompile};
    launch::Launch launch = with_buffers(request.steps.front().launch, step.launch);
    Result<std::vector<launch::Setting>> settings =
        launch::resolve_settings(request.settings, kernels->image());
    if (!settings) return {settings.error(), FailureKind::kRequest};
    launch.settings = std::move(*settings);
    if (Result<void> fits = launch::check_launch(launch, **function); !fits) {
      return {fits.error(), FailureKind::kLaunch};
    }
    const Result<timing::Prediction> predicted =
        timing::predict(*kernel, launch, machine_,
                        {.warm = request.caches == measure::Caches::kWarm, .threads = threads_});
    if (!predicted) return {predicted.error(), FailureKind::kRuntime};
    if (!predicted->faults.empty()) {
      const emulate::Fault& fault = predicted->faults.front();
      return {Error{fmt::format("{}: {}", emulate::name(fault.kind), fault.detail), Exit::kDevice},
              FailureKind::kRuntime};
    }
    time_us += predicted->time_us * step.count;
  }
  result.times_us = {time_us};
  return result;
}

}  // namespace burin::model
