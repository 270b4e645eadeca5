#include "jobs/advise_capture.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/timings.h"
#include "capture/call_paths.h"
#include "capture/groups.h"
#include "capture/rebuilt_launch.h"
#include "jobs/hot_kernels.h"
#include "jobs/input/choose_machine.h"
#include "machine/load.h"
#include "read/binary/demangle.h"
#include "read/isa/print.h"
#include "read/program/names.h"

namespace burin::jobs {
namespace {

constexpr double kSameCode = 0.95;  // of the opcodes, for two listings to be one build's

// The kernel in the file that --cubin names. A profiler writes names in its own way, so the whole
// name is tried first and the bare one after it.
Result<std::unique_ptr<ChosenKernel>> find_in_file(const capture::CapturedKernel& kernel,
                                                   const CaptureChoice& choice,
                                                   const Progress& progress) {
  KernelSource source = choice.command.launch.source;
  source.file = choice.cubin;
  const std::string whole = read::demangle(kernel.name);
  Result<std::unique_ptr<ChosenKernel>> found = Error{""};
  for (const std::string_view name :
       {std::string_view(whole), read::bare_name(whole), read::plain_name(whole)}) {
    source.kernel = std::string(name);
    found = load_kernel(source, progress);
    if (found) return found;
  }
  return found;
}

std::string_view opcode_of(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.size(), text.find(' ') + 1));
  return text.substr(0, text.find_first_of(" ;."));
}

// Samples name offsets: those of another build would blame innocent lines.
Result<void> check_same_code(const capture::Capture& capture, const capture::CapturedKernel& kernel,
                             const read::Kernel& code, const std::string& file) {
  const auto listing = capture.listing(kernel.id);
  if (!listing) return listing.error();
  std::size_t same = 0;
  for (const auto& [offset, text] : *listing) {
    const std::uint64_t index = offset / read::kInstructionBytes;
    if (index >= code.instructions.size()) continue;
    same += opcode_of(text) == code.instructions[index].mnemonic() ? 1 : 0;
  }
  if (static_cast<double>(same) >= kSameCode * static_cast<double>(listing->size())) return {};
  return Error{fmt::format(
      "{}: its {} does not match the code sampled in {}: {} of {} instructions differ; pass the "
      "exact file that ran",
      file, read::demangle(kernel.name), capture.path(), listing->size() - same, listing->size())};
}

Result<std::unique_ptr<ChosenKernel>> find_code(const capture::Capture& capture,
                                                const capture::CapturedKernel& kernel,
                                                const CaptureChoice& choice,
                                                const Progress& progress) {
  if (kernel.module != 0 && choice.cubin.empty()) return load_kernel(capture, kernel);
  if (choice.cubin.empty()) {
    return Error{fmt::format("{}: has no code for {}; pass its cubin or program with --cubin FILE",
                             capture.path(), read::demangle(kernel.name))};
  }
  Result<std::unique_ptr<ChosenKernel>> found = find_in_file(kernel, choice, progress);
  if (!found) return found;
  if (Result<void> same = check_same_code(capture, kernel, (*found)->kernel, choice.cubin); !same) {
    return same.error();
  }
  return found;
}

// What a profiler counted at each instruction; the words are the columns of Nsight Compute, and
// what CUPTI calls the same.
std::vector<advise::AccessCount> counted(const std::vector<capture::CapturedCounter>& counters,
                                         std::size_t instructions) {
  static constexpr std::pair<std::string_view, double advise::AccessCount::*> kColumns[] = {
      {"Instructions Executed", &advise::AccessCount::executed},
      {"smsp__sass_inst_executed", &advise::AccessCount::executed},
      {"L2 Theoretical Sectors Global", &advise::AccessCount::sectors},
      {"L2 Theoretical Sectors Local", &advise::AccessCount::sectors},
      {"L2 Theoretical Sectors Global Ideal", &advise::AccessCount::ideal_sectors},
      {"L1 Wavefronts Shared", &advise::AccessCount::passes},
      {"L1 Wavefronts Shared Ideal", &advise::AccessCount::ideal_passes},
      {"smsp__sass_sectors_mem_global", &advise::AccessCount::sectors},
      {"smsp__sass_sectors_mem_local", &advise::AccessCount::sectors},
      {"smsp__sass_sectors_mem_global_ideal", &advise::AccessCount::ideal_sectors},
      {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", &advise::AccessCount::passes},
      {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", &advise::AccessCount::ideal_passes},
  };
  std::vector<advise::AccessCount> counts;
  for (const capture::CapturedCounter& counter : counters) {
    const auto column = std::ranges::find(kColumns, std::string_view(counter.metric),
                                          [](const auto& c) { return c.first; });
    const std::uint64_t index = counter.offset / read::kInstructionBytes;
    if (column == std::end(kColumns) || index >= instructions) continue;
    counts.resize(instructions);
    counts[index].*(column->second) += counter.value;
  }
  return counts;
}

Result<machine::Machine> find_machine(const capture::Capture& capture, const HotKernel& hot,
                                      const CaptureChoice& choice, read::Architecture arch,
                                      bool& is_assumed) {
  if (!choice.command.machine.empty()) return machine::load_machine(choice.command.machine);
  const capture::CapturedGpu* gpu =
      hot.example == nullptr ? nullptr : capture.gpu(hot.example->gpu);
  if (gpu != nullptr && !gpu->name.empty()) {
    return machine_of_gpu(gpu->name, arch, gpu->multiprocessors, is_assumed);
  }
  is_assumed = true;
  return default_machine(arch);
}

// The launch as it can be emulated: the capture's own, or, for a report that has no arguments, the
// one that the options give.
void find_launch_of(const capture::Capture& capture, const HotKernel& hot,
                    const CaptureChoice& choice, const Progress& progress, AdviseInput& input) {
  LaunchRequest options = choice.command.launch;
  if (!choice.cubin.empty()) {
    if (options.arguments.empty() && !input.code->function().parameters.empty()) {
      input.not_emulated = "a report has no kernel arguments; pass them with --arg";
      return;
    }
    options.source.file = choice.cubin;
    options.source.kernel = input.code->function().name;
    if (options.grid.empty() && input.grid) options.grid = launch::to_string(*input.grid);
    if (options.block.empty() && input.block) options.block = launch::to_string(*input.block);
    if (options.grid.empty() || options.block.empty()) {
      input.not_emulated = "grid and block size unknown; pass --grid and --block";
      return;
    }
    Result<LoadedLaunch> loaded = load_launch(options, progress);
    if (!loaded) {
      input.not_emulated = loaded.error().message;
      return;
    }
    input.code = std::move(loaded->loaded);
    input.launch = std::move(loaded->launch);
  } else if (hot.example == nullptr) {
    input.not_emulated = "no launch of this kernel was recorded";
  } else {
    Result<LoadedLaunch> loaded = load_launch(capture, *hot.example, options.settings);
    if (!loaded) {
      input.not_emulated = loaded.error().message;
      return;
    }
    input.code = std::move(loaded->loaded);
    input.launch = std::move(loaded->launch);
    input.launch_notes = loaded->captured->notes;
  }
  if (input.launch) {
    input.grid = input.launch->grid;
    input.block = input.launch->block;
  }
}

// Samples of the launch or the call path alone, where they were recorded so; else of the kernel.
Result<launch::StallProfile> samples_of(const capture::Capture& capture, const HotKernel& hot,
                                        const CaptureChoice& choice) {
  if (hot.one_path && !hot.shared_samples) return capture::profile_of(capture, hot.paths.front());
  if (!choice.launch.empty()) {
    Result<launch::StallProfile> own = capture.profile(hot.kernel->id, hot.example->id);
    if (!own || own->total() > 0) return own;
  }
  return capture.profile(hot.kernel->id);
}

// Samples of all call paths do not tell what happens on one of them: the emulator does.
void leave_shared_samples(AdviseInput& input) {
  if (input.samples.total() <= 0) return;
  const bool is_emulated = input.launch.has_value();
  if (is_emulated) input.samples = {};
  input.notes.push_back(
      fmt::format("the samples are of all call paths{}; record with --serialize "
                  "to sample each launch separately",
                  is_emulated ? ": using emulated stalls" : ""));
}

Result<AdviseInput> input_of(const capture::Capture& capture, const HotKernel& hot,
                             const CaptureChoice& choice, const Progress& progress) {
  AdviseInput input;
  Result<std::unique_ptr<ChosenKernel>> code = find_code(capture, *hot.kernel, choice, progress);
  if (!code) return code.error();
  input.code = std::move(*code);
  Result<machine::Machine> machine =
      find_machine(capture, hot, choice, input.code->image.arch, input.machine_assumed);
  if (!machine) return machine.error();
  input.machine = std::move(*machine);

  Result<launch::StallProfile> samples = samples_of(capture, hot, choice);
  if (!samples) return samples.error();
  input.samples = std::move(*samples);
  const auto counters =
      hot.one_path ? capture.counts(*hot.example) : capture.counters(hot.kernel->id);
  if (!counters) return counters.error();
  input.counted = counted(*counters, input.code->kernel.instructions.size());
  for (const capture::CallPath& path : hot.paths) {
    Caller& caller = input.callers.emplace_back(Caller{
        .place = path.caller, .share = path.share, .launches = path.launches.size(), .stack = {}});
    for (const capture::CapturedFrame& frame : path.frames)
      caller.stack.push_back(capture::frame_place(frame));
  }
  if (hot.example != nullptr) {
    input.number = hot.example->id;
    input.launches = hot.alike.size();
    if (const double us = capture::median_us(hot.alike); us > 0) input.measured_us = us;
    input.grid = hot.example->grid;
    input.block = hot.example->block;
    input.dynamic_shared = hot.example->shared_bytes;
    // A process's first launch is loaded while it waits: one in the middle has its usual
    // neighbours.
    const std::uint64_t usual = hot.alike[hot.alike.size() / 2]->id;
    if (Result<advise::LaunchSequence> around = advise::sequence_of(capture, usual)) {
      input.neighbours = std::move(*around);
    }
  }
  find_launch_of(capture, hot, choice, progress, input);
  if (hot.shared_samples) leave_shared_samples(input);
  return input;
}

}  // namespace

Result<std::vector<CaptureInput>> advise_inputs(const capture::Capture& capture,
                                                const CaptureChoice& choice,
                                                const Progress& progress) {
  const Timed timed("read capture");
  std::vector<HotKernel> hot;
  if (choice.launch.empty()) {
    Result<std::vector<HotKernel>> all =
        hot_kernels(capture, choice.command.launch.source.kernel, choice.kernels, choice.by_caller);
    if (!all) return all.error();
    hot = std::move(*all);
  } else {
    const Result<const capture::CapturedLaunch*> launch =
        capture::find_launch(capture, choice.launch);
    if (!launch) return launch.error();
    Result<HotKernel> one = hot_kernel_of(capture, **launch);
    if (!one) return one.error();
    hot.push_back(std::move(*one));
  }
  if (hot.empty()) {
    const auto& wanted = choice.command.launch.source.kernel;
    return Error{capture.path() + (wanted ? ": no kernel name contains " + *wanted
                                          : ": contains no launches and no samples")};
  }
  std::vector<CaptureInput> inputs;
  for (const HotKernel& each : hot) {
    inputs.push_back(
        {read::demangle(each.kernel->name), input_of(capture, each, choice, progress)});
  }
  return inputs;
}

}  // namespace burin::jobs
