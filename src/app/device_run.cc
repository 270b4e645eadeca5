#include "app/device_run.h"

#include <algorithm>

#include "base/format.h"
#include "base/new_file.h"
#include "base/text.h"
#include "gpu/cuda_device.h"
#include "measure/sample.h"
#include "measure/scratch_folder.h"

namespace burin {
namespace {

constexpr unsigned kLeastLaunches = 20;

Result<std::string> write_cubin(const ScratchFolder& folder, Bytes cubin) {
  const std::string path = folder.path() + "/kernel.cubin";
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  if (Result<void> written = file->write(cubin); !written) return written.error();
  if (Result<void> finished = file->finish(); !finished) return finished.error();
  return path;
}

// What the emulator left in a buffer against the file that holds what the GPU left.
Result<CheckedOutput> compare(const Launch& launch, const Run& emulated, const DeviceOutput& output,
                              std::span<const ExpectedFile> tolerances, const std::string& device) {
  ExpectedFile wanted{.argument = output.argument, .path = output.path};
  for (const ExpectedFile& tolerance : tolerances) {
    if (tolerance.argument != output.argument) continue;
    wanted.tolerance = tolerance.tolerance;
    wanted.type = tolerance.type;
  }
  const Result<Expectation> expected = open_expected(launch, wanted);
  if (!expected) return expected.error();
  Result<CheckedOutput> checked = check_output(emulated, *expected);
  if (checked) checked->path = device;  // the file is gone when this is read
  return checked;
}

double median_mhz(const std::vector<unsigned>& samples) {
  return summarize(std::vector<double>(samples.begin(), samples.end())).median;
}

// `outputs` is the folder for the buffers' files, "" where none are wanted.
Result<DeviceRun> launch_on(Device& device, Bytes cubin, const Function& kernel,
                            const Launch& launch, const DeviceRunOptions& options,
                            const ScratchFolder& folder, const std::string& outputs) {
  const Result<unsigned> number = check_device_options(options);
  if (!number) return number.error();
  const Result<std::string> path = write_cubin(folder, cubin);
  if (!path) return path.error();
  DeviceRequest request{.device = *number, .cubin = *path, .kernel = kernel.name, .launch = launch};
  for (const Setting& setting : launch.settings) request.settings.push_back(setting.text);
  request.cooperative = options.cooperative;
  request.launches = options.launches;
  request.caches = options.warm ? Caches::kWarm : Caches::kCold;
  request.limit_seconds = options.limit_seconds;
  request.outputs = outputs;
  Result<DeviceResult> result = device.run(request);
  if (!result) return result.error();
  return DeviceRun{.device = fmt::format("cuda:{}", *number), .result = std::move(*result)};
}

std::string_view words(Caches caches) {
  return caches == Caches::kCold ? "caches flushed" : "caches warm";
}

}  // namespace

Result<unsigned> check_device_options(const DeviceRunOptions& options) {
  const Result<unsigned> number = parse_device(options.device);
  if (!number) return number.error().within("--device");
  if (options.launches < kLeastLaunches || options.launches > kMostLaunches) {
    return Error{fmt::format("--launches must be {} to {}", kLeastLaunches, kMostLaunches),
                 Exit::kUsage};
  }
  return *number;
}

Result<DeviceRun> run_on_device(Bytes cubin, const Function& kernel, const Launch& launch,
                                const Run& emulated, std::span<const ExpectedFile> tolerances,
                                const DeviceRunOptions& options) {
  CudaDevice device(path_of_this_program());
  return run_on_device(device, cubin, kernel, launch, emulated, tolerances, options);
}

Result<DeviceRun> time_on_device(Bytes cubin, const Function& kernel, const Launch& launch,
                                 const DeviceRunOptions& options) {
  const Result<std::shared_ptr<ScratchFolder>> folder = ScratchFolder::make();
  if (!folder) return folder.error();
  CudaDevice device(path_of_this_program());
  return launch_on(device, cubin, kernel, launch, options, **folder, "");
}

Result<DeviceRun> run_on_device(Device& device, Bytes cubin, const Function& kernel,
                                const Launch& launch, const Run& emulated,
                                std::span<const ExpectedFile> tolerances,
                                const DeviceRunOptions& options) {
  const Result<std::shared_ptr<ScratchFolder>> folder = ScratchFolder::make();
  if (!folder) return folder.error();
  Result<DeviceRun> launched =
      launch_on(device, cubin, kernel, launch, options, **folder, (*folder)->path());
  if (!launched) return launched.error();
  DeviceRun& run = *launched;
  for (const DeviceOutput& output : run.result.outputs) {
    Result<CheckedOutput> checked = compare(launch, emulated, output, tolerances, run.device);
    if (!checked) return checked.error();
    run.buffers.push_back(std::move(*checked));
  }
  run.agrees = std::ranges::all_of(
      run.buffers, [](const CheckedOutput& buffer) { return buffer.comparison.equal(); });
  run.compared = true;
  return launched;
}

void write_device_run(Output& out, const DeviceRun& run) {
  const DeviceResult& result = run.result;
  const Sample times = summarize(result.times_us);
  out.put(
      fmt::format("\non {} ({}, driver {}): {:.2f} µs, median of {} launches; interquartile range "
                  "{:.2f} to {:.2f} µs",
                  run.device, result.gpu, result.driver, times.median, times.count,
                  times.lower_quartile, times.upper_quartile));
  if (!result.clock_mhz.empty()) out.put(fmt::format(", {:.0f} MHz", median_mhz(result.clock_mhz)));
  out.put(", ", words(result.caches), '\n');
  if (result.timer != "cupti") {
    out.put("timed with CUDA events, which add about 3 µs to the kernel time: ", result.timer_note,
            '\n');
  }
  std::uint64_t equal = 0, tolerated = 0, unknown_bytes = 0;
  for (const CheckedOutput& buffer : run.buffers) {
    unknown_bytes += buffer.unknown_bytes;
    if (!buffer.comparison.equal()) {
      CheckedOutput known = buffer;
      known.unknown_bytes = 0;  // told of below
      out.put(describe(known), '\n');
    } else {
      ++(buffer.tolerance ? tolerated : equal);
    }
  }
  if (equal > 0) {
    out.put(count_of(equal, "buffer"), equal == 1 ? " matches" : " match",
            " the emulator's result bit for bit\n");
  }
  if (tolerated > 0) {
    out.put(count_of(tolerated, "buffer"), tolerated == 1 ? " matches" : " match",
            " the emulator's result within the tolerance\n");
  }
  if (unknown_bytes > 0) {
    out.put(with_commas(unknown_bytes), " bytes Unknown to the emulator were not compared\n");
  }
}

void write_device_run_json(Json& json, const DeviceRun& run) {
  const DeviceResult& result = run.result;
  const Sample times = summarize(result.times_us);
  json.open("device", '{');
  json.field("name", run.device);
  json.field("gpu", result.gpu);
  json.field("architecture", result.architecture);
  json.field("driver", result.driver);
  json.field("caches", result.caches == Caches::kCold ? "cold" : "warm");
  json.field("timer", result.timer);
  json.field("launches", times.count);
  json.field("median_us", times.median);
  json.field("lower_quartile_us", times.lower_quartile);
  json.field("upper_quartile_us", times.upper_quartile);
  json.field("deviation_us", times.deviation);
  json.field("least_us", times.least);
  json.field("most_us", times.most);
  json.open("times_us", '[');
  for (const double time : result.times_us) json.element(time);
  json.close();
  json.open("clock_mhz", '[');
  for (const unsigned mhz : result.clock_mhz) json.element(mhz);
  json.close();
  if (!run.compared) {
    json.close();
    return;
  }
  json.field("agrees", run.agrees);
  json.open("buffers", '[');
  for (const CheckedOutput& buffer : run.buffers) {
    json.open('{');
    json.field("argument", buffer.argument);
    json.field("equal", buffer.comparison.equal());
    json.field("tolerance", buffer.tolerance);
    json.field("elements", buffer.comparison.elements);
    json.field("different", buffer.comparison.different);
    json.field("largest_error", buffer.comparison.largest_error);
    json.field("unknown_bytes", buffer.unknown_bytes);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin
