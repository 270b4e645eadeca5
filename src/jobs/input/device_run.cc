#include "jobs/input/device_run.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "gpu/worker/worker_device.h"
#include "measure/sample.h"
#include "measure/scratch_folder.h"

namespace burin::jobs {
namespace {

// What the emulator left in a buffer against the file that holds what the GPU left.
Result<emulate::CheckedOutput> compare(const launch::Launch& launch, const emulate::Run& emulated,
                                       const measure::DeviceOutput& output,
                                       std::span<const launch::ExpectedFile> tolerances,
                                       const std::string& device) {
  launch::ExpectedFile wanted{.argument = output.argument, .path = output.path};
  for (const launch::ExpectedFile& tolerance : tolerances) {
    if (tolerance.argument != output.argument) continue;
    wanted.tolerance = tolerance.tolerance;
    wanted.type = tolerance.type;
  }
  const Result<emulate::Expectation> expected = emulate::open_expected(launch, wanted);
  if (!expected) return expected.error();
  Result<emulate::CheckedOutput> checked = emulate::check_output(emulated, *expected);
  if (checked) checked->path = device;  // the file is gone when this is read
  return checked;
}

// `outputs` is the folder for the buffers' files, "" where none are wanted.
Result<DeviceRun> launch_on(measure::Device& device, Bytes cubin, const read::Function& kernel,
                            const launch::Launch& launch, const DeviceRunOptions& options,
                            const measure::ScratchFolder& folder, const std::string& outputs) {
  const Result<unsigned> number = check_device_options(options);
  if (!number) return number.error();
  const Result<std::string> path = folder.write("kernel.cubin", cubin);
  if (!path) return path.error();
  measure::DeviceRequest request = measure::single_launch(*path, kernel.name, launch);
  request.device = fmt::format("cuda:{}", *number);
  for (const launch::Setting& setting : launch.settings) request.settings.push_back(setting.text);
  request.steps.front().cooperative = options.cooperative;
  request.stopping = measure::exactly(options.launches);
  request.caches = options.warm ? measure::Caches::kWarm : measure::Caches::kCold;
  request.limit_seconds = options.limit_seconds;
  request.outputs = outputs;
  measure::DeviceAnswer result = device.run(request);
  if (!result) return result.error();
  return DeviceRun{.device = request.device, .result = std::move(*result)};
}

}  // namespace

Result<unsigned> check_device_options(const DeviceRunOptions& options) {
  const Result<unsigned> number = gpu::parse_device(options.device);
  if (!number) return number.error().within("--device");
  if (options.launches < kMinDeviceLaunches || options.launches > measure::kMaxLaunches) {
    return Error{
        fmt::format("--launches must be {} to {}", kMinDeviceLaunches, measure::kMaxLaunches),
        Exit::kUsage};
  }
  return *number;
}

Result<DeviceRun> run_on_device(Bytes cubin, const read::Function& kernel,
                                const launch::Launch& launch, const emulate::Run& emulated,
                                std::span<const launch::ExpectedFile> tolerances,
                                const DeviceRunOptions& options) {
  gpu::WorkerDevice device(gpu::path_of_this_program());
  return run_on_device(device, cubin, kernel, launch, emulated, tolerances, options);
}

Result<DeviceRun> time_on_device(Bytes cubin, const read::Function& kernel,
                                 const launch::Launch& launch, const DeviceRunOptions& options) {
  const Result<std::shared_ptr<measure::ScratchFolder>> folder = measure::ScratchFolder::make();
  if (!folder) return folder.error();
  gpu::WorkerDevice device(gpu::path_of_this_program());
  return launch_on(device, cubin, kernel, launch, options, **folder, "");
}

Result<DeviceRun> run_on_device(measure::Device& device, Bytes cubin, const read::Function& kernel,
                                const launch::Launch& launch, const emulate::Run& emulated,
                                std::span<const launch::ExpectedFile> tolerances,
                                const DeviceRunOptions& options) {
  const Result<std::shared_ptr<measure::ScratchFolder>> folder = measure::ScratchFolder::make();
  if (!folder) return folder.error();
  Result<DeviceRun> launched =
      launch_on(device, cubin, kernel, launch, options, **folder, (*folder)->path());
  if (!launched) return launched.error();
  DeviceRun& run = *launched;
  for (const measure::DeviceOutput& output : run.result.outputs) {
    Result<emulate::CheckedOutput> checked =
        compare(launch, emulated, output, tolerances, run.device);
    if (!checked) return checked.error();
    run.buffers.push_back(std::move(*checked));
  }
  run.agrees = std::ranges::all_of(
      run.buffers, [](const emulate::CheckedOutput& buffer) { return buffer.comparison.equal(); });
  run.compared = true;
  return launched;
}

}  // namespace burin::jobs
