#include "model/opened_request.h"

#include "launch/setting.h"

namespace burin::model {
namespace {

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

Result<OpenedRequest> OpenedRequest::open(const measure::DeviceRequest& request,
                                          read::KernelOptions options,
                                          measure::FailureKind* failure) {
  using measure::FailureKind;
  const auto failed = [&](Error error, FailureKind kind) {
    if (failure != nullptr) *failure = kind;
    return error;
  };
  Result<MappedFile> file = MappedFile::open(request.program);
  if (!file) return failed(file.error(), FailureKind::kRequest);
  Result<tune::CompiledKernels> kernels = tune::CompiledKernels::read(file->bytes());
  if (!kernels) return failed(kernels.error(), FailureKind::kCompile);

  OpenedRequest opened;
  opened.cubin_ = std::make_unique<Cubin>(std::move(*file), std::move(*kernels));
  const read::Image& image = opened.image();
  const Result<std::vector<launch::Setting>> settings =
      launch::resolve_settings(request.settings, image);
  if (!settings) return failed(settings.error(), FailureKind::kRequest);
  for (const measure::Step& step : request.steps) {
    const Result<const read::Function*> function = opened.cubin_->kernels.find(step.kernel);
    if (!function) return failed(function.error(), FailureKind::kRequest);
    Result<read::Kernel> kernel = read::build_kernel(image, **function, options);
    if (!kernel) return failed(kernel.error(), FailureKind::kCompile);
    launch::Launch launch = with_buffers(request.steps.front().launch, step.launch);
    launch.settings = *settings;
    if (const Result<void> fits = launch::check_launch(launch, **function); !fits) {
      return failed(fits.error(), FailureKind::kLaunch);
    }
    opened.steps_.push_back({std::move(*kernel), std::move(launch), step.count});
  }
  return opened;
}

}  // namespace burin::model
