#include "jobs/advise_capture.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/timings.h"
#include "capture/groups.h"
#include "capture/rebuilt_launch.h"
#include "jobs/input/choose_machine.h"
#include "machine/load.h"
#include "read/binary/demangle.h"
#include "read/isa/print.h"
#include "read/program/names.h"

namespace burin::jobs {
namespace {

constexpr double kSameCode = 0.95;  // of the opcodes, for two listings to be one build's

struct HotKernel {
  const capture::CapturedKernel* kernel = nullptr;
  const capture::CapturedLaunch* example = nullptr;  // null: only samples tell of it
  std::vector<const capture::CapturedLaunch*> alike{};
  std::uint64_t total_ns = 0;
  std::uint64_t samples = 0;
};

bool is_meant(const capture::CapturedKernel& kernel, const std::optional<std::string>& wanted) {
  return !wanted || kernel.name.find(*wanted) != std::string::npos ||
         read::demangle(kernel.name).find(*wanted) != std::string::npos;
}

// The kernels by their time, each with the launch that took the most of it.
Result<std::vector<HotKernel>> hot_kernels(const capture::Capture& capture,
                                           const CaptureChoice& choice) {
  const Result<std::vector<capture::LaunchGroup>> groups = capture::group_launches(capture);
  if (!groups) return groups.error();
  std::vector<HotKernel> hot(capture.kernels().size());
  const std::vector<std::uint64_t> samples = capture.sample_counts();
  for (std::size_t k = 0; k < hot.size(); ++k) {
    hot[k].kernel = &capture.kernels()[k];
    hot[k].samples = k < samples.size() ? samples[k] : 0;
  }
  for (const capture::LaunchGroup& group : *groups) {
    HotKernel& of = hot[group.example->kernel - 1];
    of.total_ns += group.total_ns;
    if (of.example != nullptr) continue;
    of.example = group.example;
    of.alike = group.launches;
  }
  std::erase_if(hot, [&](const HotKernel& h) {
    return (h.example == nullptr && h.samples == 0) ||
           !is_meant(*h.kernel, choice.command.launch.source.kernel);
  });
  std::ranges::stable_sort(hot, std::ranges::greater{},
                           [](const HotKernel& h) { return std::pair(h.total_ns, h.samples); });
  if (hot.size() > choice.kernels) hot.resize(choice.kernels);
  return hot;
}

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

  // Samples of the launch alone, where they were recorded so; else of its kernel.
  const std::uint64_t named = choice.launch.empty() ? 0 : hot.example->id;
  for (const std::uint64_t launch : {named, std::uint64_t{0}}) {
    Result<launch::StallProfile> profile = capture.profile(hot.kernel->id, launch);
    if (!profile) return profile.error();
    input.samples = std::move(*profile);
    if (input.samples.total() > 0) break;
  }
  const auto counters = capture.counters(hot.kernel->id);
  if (!counters) return counters.error();
  input.counted = counted(*counters, input.code->kernel.instructions.size());
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
  return input;
}

}  // namespace

Result<std::vector<CaptureInput>> advise_inputs(const capture::Capture& capture,
                                                const CaptureChoice& choice,
                                                const Progress& progress) {
  const Timed timed("read capture");
  std::vector<HotKernel> hot;
  if (choice.launch.empty()) {
    Result<std::vector<HotKernel>> all = hot_kernels(capture, choice);
    if (!all) return all.error();
    hot = std::move(*all);
  } else {
    const Result<const capture::CapturedLaunch*> launch =
        capture::find_launch(capture, choice.launch);
    if (!launch) return launch.error();
    hot.push_back({.kernel = &capture.kernel((*launch)->kernel),
                   .example = *launch,
                   .alike = {*launch},
                   .total_ns = (*launch)->duration_ns.value_or(0)});
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
