#include "jobs/coarsen/versions.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/format.h"
#include "base/timings.h"
#include "emulate/run.h"
#include "jobs/input/choose_machine.h"
#include "jobs/input/load_kernel.h"
#include "machine/load.h"
#include "read/ptx/parse.h"
#include "timing/predict.h"

namespace burin::jobs {
namespace {

// Sums of floating-point numbers in another order agree to about this, relative to the larger of 1
// and the sum.
constexpr double kAtomicsTolerance = 1e-4;

// About half an hour on one core.
constexpr std::uint64_t kMaxInstructionsOfCheck = 20'000'000'000;

std::string dims(const std::array<std::uint32_t, 3>& size) {
  return fmt::format("{},{},{}", size[0], size[1], size[2]);
}

bool has_float_atomics(const PtxSource& source) {
  const Result<read::ptx::Module> module = read::ptx::parse(source.text);
  if (!module) return false;
  const auto in = [](const read::ptx::Function& function) {
    return std::ranges::any_of(function.body, [](const read::ptx::Statement& statement) {
      const auto* instruction = std::get_if<read::ptx::Instruction>(&statement);
      if (instruction == nullptr) return false;
      const bool atomic = instruction->base() == "atom" || instruction->base() == "red";
      return atomic && instruction->has_modifier("add") &&
             std::ranges::any_of(
                 std::array<std::string_view, 6>{"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"},
                 [&](std::string_view type) { return instruction->has_modifier(type); });
    });
  };
  for (const read::ptx::Item& item : module->items) {
    const auto* function = std::get_if<read::ptx::Function>(&item);
    if (function != nullptr && (!function->is_entry || function->name == source.kernel) &&
        in(*function)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<Versions> Versions::open(const CoarsenRequest& request, PtxSource source) {
  Result<machine::Machine> machine =
      machine::load_machine(request.machine.empty() ? "h200" : request.machine);
  if (!machine) return machine.error();
  Result<std::shared_ptr<measure::ScratchFolder>> folder = measure::ScratchFolder::make();
  if (!folder) return folder.error();
  return Versions(request, std::move(source), std::move(*machine), std::move(*folder));
}

Result<LaunchRequest> Versions::request_for(const std::string& ptx,
                                            const coarsen::LaunchShape& launch,
                                            const std::vector<std::string>& flags) const {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(ptx.data());
  const Result<std::string> path = folder_->write("kernel.ptx", Bytes(bytes, ptx.size()));
  if (!path) return path.error();
  LaunchRequest request = request_.launch;
  // Those of a CUDA source were nvcc's, and are in the PTX.
  std::vector<std::string> all = is_cuda_source(request_.launch.source.file)
                                     ? std::vector<std::string>{}
                                     : request_.launch.source.flags;
  all.insert(all.end(), flags.begin(), flags.end());
  request.source = {.file = *path,
                    .kernel = source_.kernel,
                    .arch = request_.launch.source.arch,
                    .flags = std::move(all),
                    .gpu = machine_.arch};
  request.grid = dims(launch.grid);
  request.block = dims(launch.block);
  request.shared_bytes = std::to_string(launch.shared_bytes);
  return request;
}

Result<CompiledVersion> Versions::compile(const std::string& ptx,
                                          const coarsen::LaunchShape& launch,
                                          const Progress& progress) const {
  const Result<LaunchRequest> request = request_for(ptx, launch, {});
  if (!request) return request.error();
  CompiledVersion made{.launch = launch};
  const auto note = [&](const read::Function& function) {
    made.registers = function.registers;
    made.local_bytes = function.local_bytes;
    made.static_shared = function.shared_bytes;
  };
  if (request->arguments.empty()) {
    const Result<std::unique_ptr<ChosenKernel>> loaded = load_kernel(request->source, progress);
    if (!loaded) return loaded.error();
    note((*loaded)->function());
    return made;
  }
  const Result<LoadedLaunch> loaded = load_launch(*request, progress);
  if (!loaded) return loaded.error();
  note(loaded->loaded->function());
  if (Result<void> fits = check_architecture(loaded->loaded->kernel, machine_); !fits) {
    return fits.error();
  }
  timing::PredictOptions options;
  options.heartbeat = heartbeat_of(progress);
  const Timed timed("predict");
  const Result<timing::Prediction> prediction =
      timing::predict(loaded->loaded->kernel, loaded->launch, machine_, options);
  progress.done();
  if (!prediction) return prediction.error().within(source_.demangled);
  made.predicted_us = prediction->time_us;
  return made;
}

Result<std::vector<emulate::CheckedOutput>> Versions::compare_with(
    const coarsen::LaunchShape& launch, const coarsen::Coarsened& coarsened,
    const std::vector<std::string>& flags, std::optional<double> tolerance,
    const Progress& progress) const {
  std::array<LoadedLaunch, 2> loaded;
  std::array<emulate::Run, 2> runs;
  for (const std::size_t after : {0, 1}) {
    const Result<LaunchRequest> request = request_for(
        after == 1 ? coarsened.ptx : source_.text, after == 1 ? coarsened.launch : launch, flags);
    if (!request) return request.error();
    Result<LoadedLaunch> opened = load_launch(*request, progress);
    if (!opened) return opened.error();
    loaded[after] = std::move(*opened);
    emulate::RunOptions options;
    options.most_instructions = kMaxInstructionsOfCheck;
    options.heartbeat = heartbeat_of(progress);
    Result<emulate::Run> run =
        emulate::emulate(loaded[after].loaded->kernel, loaded[after].launch, options);
    progress.done();
    if (!run) return run.error();
    const char* which = after == 1 ? "the coarsened kernel" : "the original kernel";
    // What the original does not do is a difference.
    const Exit exit = after == 1 ? Exit::kGate : Exit::kInput;
    if (run->stopped) {
      return Error{fmt::format("--check: {}: {}", which, run->stopped->message), exit};
    }
    if (!run->faults.empty()) {
      return Error{fmt::format("--check: {} has memory faults; burin run shows them", which), exit};
    }
    runs[after] = std::move(*run);
  }
  std::vector<emulate::CheckedOutput> outputs;
  const launch::Launch& original = loaded[0].launch;
  for (std::size_t i = 0; i < original.arguments.size(); ++i) {
    const Result<const launch::Buffer*> buffer = launch::buffer_at(original, i);
    if (!buffer) continue;
    const auto filled = launch::element_type_of((*buffer)->kind);
    const auto type = filled.value_or(launch::ElementType::kU32);
    Result<emulate::CheckedOutput> checked = emulate::check_output(
        runs[1], runs[0], i, type, launch::is_float(type) ? tolerance : std::nullopt);
    if (!checked) return checked.error();
    outputs.push_back(std::move(*checked));
  }
  return outputs;
}

Result<CoarsenCheck> Versions::compare(const coarsen::LaunchShape& launch,
                                       const coarsen::Coarsened& coarsened,
                                       const Progress& progress) const {
  const Timed timed("check");
  CoarsenCheck check;
  check.float_atomics = has_float_atomics(source_);
  const std::optional<double> tolerance =
      check.float_atomics ? std::optional(kAtomicsTolerance) : std::nullopt;
  Result<std::vector<emulate::CheckedOutput>> outputs =
      compare_with(launch, coarsened, {"-fmad=false"}, tolerance, progress);
  if (!outputs) return outputs.error();
  check.outputs = std::move(*outputs);
  outputs = compare_with(launch, coarsened, {}, tolerance, progress);
  if (!outputs) return outputs.error();
  check.as_compiled = std::move(*outputs);
  return check;
}

}  // namespace burin::jobs
