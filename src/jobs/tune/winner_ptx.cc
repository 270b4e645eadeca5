#include "jobs/tune/winner_ptx.h"

#include "base/format.h"
#include "base/numbers.h"
#include "jobs/tune/device.h"
#include "toolchain/compile.h"
#include "tune/spec_builder.h"

namespace burin::jobs {
namespace {

std::string comment(const TuneRequest& request, const TunedKernel& tuned, const TunedRun& run,
                    const tune::Configuration& configuration) {
  const std::string size = tune::describe(run.size);
  std::string text =
      fmt::format("// {}, tuned by burin tune {} on {}{}: {}\n//", tuned.kernel, request.input,
                  run.device, size.empty() ? "" : " for " + size, time_text(run.best_time_us()));
  for (std::size_t i = 0; i < run.space.dimensions(); ++i) {
    text += fmt::format("{} {}={}", i == 0 ? "" : ",", run.space.parameters()[i].name,
                        formula::plain_text(run.space.value(run.best()->point, i)));
  }
  for (const tune::ConfiguredStep& step : configuration.steps) {
    text += fmt::format("\n// {}: grid {}, block {}, {} bytes of dynamic shared memory",
                        step.kernel, launch::to_string(step.launch.grid),
                        launch::to_string(step.launch.block), step.launch.shared_bytes);
  }
  if (configuration.max_registers != 0) {
    text += fmt::format("\n// compiled with at most {} registers per thread (-maxrregcount)",
                        configuration.max_registers);
  }
  return text + '\n';
}

}  // namespace

Result<void> check_winner_ptx(const TuneRequest& request, const tune::Spec& spec) {
  const char* wrong =
      request.device.starts_with(kReplayDevice) ? "a recorded space has no source to compile"
      : request.device.starts_with("opencl")    ? "OpenCL devices have no PTX"
      : spec.tunables.empty()
          ? "without a spec every block shape has the same PTX; nvcc --ptx makes it"
      : !spec.sources.contains(tune::Language::kCuda) ? "the spec names no CUDA source"
                                                      : nullptr;
  if (wrong == nullptr) return {};
  return Error{fmt::format("--emit ptx: {}", wrong), Exit::kUsage};
}

Result<std::string> winner_ptx(const TuneRequest& request, const TunedKernel& tuned,
                               const TunedRun& run) {
  // The device may have been opened by other processes only.
  const Result<TuneDevice> device = open_tune_device(
      device_of_process(request.device, 0, &tuned.spec), &tuned.spec, path_of_burin(request));
  if (!device) return device.error();
  const Result<tune::Configuration> winner =
      tune::configure(tuned.spec, run.size, run.space, run.best()->point);
  if (!winner) return winner.error();
  toolchain::CompileRequest wanted =
      tune::compile_request(tuned.spec, *winner,
                            {.arch = device->arch,
                             .compiler = compiler_of(request),
                             .limit_seconds = request.compile_limit_seconds});
  wanted.output = toolchain::CompileRequest::Output::kPtx;
  const toolchain::CompileResult compiled = toolchain::compile(
      wanted, toolchain::CompileCache(toolchain::CompileCache::default_folder()));
  if (!compiled) return compiled.error();
  return comment(request, tuned, run, *winner) + compiled->ptx;
}

}  // namespace burin::jobs
