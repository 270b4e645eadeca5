#include "jobs/advise_launch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <iterator>

#include "advise/case/trust.h"
#include "advise/patterns/code/likely_contents.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "base/timings.h"
#include "jobs/input/choose_machine.h"
#include "timing/result/kernel_needs.h"

namespace burin::jobs {
namespace {

constexpr std::uint32_t kAssumedThreads = 256;
constexpr std::size_t kLargeKernel = 10'000;  // instructions
constexpr double kManySamples = 1000;

std::string samples_wanted(double have) {
  if (have == 0) return "no samples";
  return fmt::format("only {} samples, {} more needed", whole(have),
                     whole(launch::kMinSamples - have));
}

// A launch of which nobody recorded what its memory held, emulated with contents that are made up;
// null where there is nothing to make up, or no measured time to hold it against.
std::unique_ptr<analyze::Study> study_of_likely(AdvisedLaunch& advised) {
  AdviseInput& input = advised.input;
  if (!input.measured_us) return nullptr;
  const timing::PredictOptions& options = advised.request.predict;
  const Result<read::Kernel> kernel = read::build_kernel(input.code->image, input.code->function());
  if (!kernel) return nullptr;
  advised.likely = advise::likely_launch(*kernel, *input.launch, input.machine, options);
  if (!advised.likely) return nullptr;
  Result<std::unique_ptr<analyze::Study>> study =
      analyze::Study::open(input.code->kernel, *advised.likely, input.machine, options);
  return study ? std::move(*study) : nullptr;
}

// By how much an emulated time is off, up or down.
double distance(const analyze::Study& study, double measured_us) {
  return std::abs(std::log(study.base().time_us / measured_us));
}

void take_likely(AdvisedLaunch& advised, std::unique_ptr<analyze::Study> likely) {
  advised.study = std::move(likely);
  advised.made_up = true;
  advised.input.notes.push_back(
      "the capture has no memory contents: they were synthesised to match how the kernel reads "
      "them; record with --memory");
}

// Emulates it, with contents that are made up or without, whichever comes to the measured time;
// why it could not be is left in the input. A large kernel is waited for only where that is asked
// for, or samples do not tell enough.
void open_study(AdvisedLaunch& advised, const Progress& progress) {
  AdviseInput& input = advised.input;
  if (!input.launch) return;
  if (advised.request.samples_only && input.samples.total() >= launch::kMinSamples) {
    input.not_emulated = "--samples-only is set";
    return;
  }
  const std::size_t size = input.code->kernel.instructions.size();
  if (size > kLargeKernel && input.samples.total() >= kManySamples &&
      !advised.request.budget_seconds) {
    input.not_emulated = fmt::format(
        "emulating {} instructions takes long and there are enough samples; use --budget SECONDS "
        "to emulate anyway",
        with_commas(size));
    return;
  }
  const Timed timed("emulate");
  std::unique_ptr<analyze::Study> likely = study_of_likely(advised);
  if (likely && advise::agrees(likely->base().time_us, *input.measured_us)) {
    take_likely(advised, std::move(likely));
    return;
  }
  timing::PredictOptions options = advised.request.predict;
  options.heartbeat = heartbeat_of(progress);
  Result<std::unique_ptr<analyze::Study>> study =
      analyze::Study::open(input.code->kernel, *input.launch, input.machine, options);
  if (likely &&
      (!study || distance(*likely, *input.measured_us) < distance(**study, *input.measured_us))) {
    take_likely(advised, std::move(likely));
  } else if (study) {
    advised.study = std::move(*study);
    std::ranges::copy(input.launch_notes, std::back_inserter(input.notes));
  } else {
    input.not_emulated = study.error().message;
  }
}

// The blamed profile: of the samples where there are enough, else of the emulator.
Result<void> find_causes(AdvisedLaunch& advised) {
  const Timed timed("blame");
  AdviseInput& input = advised.input;
  const double samples = input.samples.total();
  if (samples < launch::kMinSamples && advised.study == nullptr) {
    return Error{fmt::format(
        "{}: {}, and the launch cannot be emulated: {}", input.code->function().demangled,
        samples_wanted(samples) +
            (samples > 0 ? " (record longer, or with a shorter --period)" : ""),
        input.not_emulated.empty() ? "its arguments are unknown" : input.not_emulated)};
  }
  if (advised.study == nullptr) {
    Result<read::Kernel> kernel = read::build_kernel(input.code->image, input.code->function());
    if (!kernel) return kernel.error();
    advised.kernel = std::make_unique<read::Kernel>(std::move(*kernel));
    advised.blamed =
        advise::blame(*advised.kernel, input.samples, input.machine, advised.request.blame);
    input.notes.push_back("not emulated, speedups are GPA estimates only: " + input.not_emulated);
    return {};
  }
  advise::BlamedProfile emulated = advise::blame(advised.study->kernel(), advised.study->base());
  if (samples < launch::kMinSamples) {
    if (samples > 0) {
      input.notes.push_back(samples_wanted(samples) + ": using emulated stalls");
    }
    advised.blamed = std::move(emulated);
    return {};
  }
  advised.blamed =
      advise::blame(advised.study->kernel(), input.samples, input.machine, advised.request.blame);
  advised.agreement = advise::agreement(advised.blamed, emulated);
  return {};
}

// The shape that the rules see: the launch's, or, where nobody says, one that fills the GPU and
// about which no rule is asked.
Result<void> find_shape(AdvisedLaunch& advised, advise::Case& c, advise::AdviseOptions& options) {
  AdviseInput& input = advised.input;
  const read::Function& function = input.code->function();
  c.needs = {.threads = kAssumedThreads,
             .registers = function.registers,
             .shared = function.shared_bytes + input.dynamic_shared,
             .barriers = function.barriers};
  const bool known = input.grid && input.block;
  if (input.launch) {
    c.needs = timing::needs_of(input.code->kernel, *input.launch);
  } else if (known) {
    c.needs.threads = input.block->total();
  } else if (function.required_block) {
    const auto& axes = *function.required_block;
    c.needs.threads = std::uint64_t{axes[0]} * axes[1] * axes[2];
  }
  const Result<machine::Occupancy> held = machine::occupancy(input.machine, c.needs);
  if (!held) return held.error();
  c.occupancy = *held;
  if (known) {
    c.grid = *input.grid;
    c.block = *input.block;
    return {};
  }
  c.block = {static_cast<std::uint32_t>(c.needs.threads), 1, 1};
  c.grid = {static_cast<std::uint32_t>(
                std::lround(static_cast<double>(held->blocks) * input.machine.sm.count)),
            1, 1};
  options.shape_known = false;
  input.notes.emplace_back(
      "grid and block size unknown: launch-shape rules skipped; pass --grid and --block");
  return {};
}

}  // namespace

AdviseInput input_of(LaunchOnMachine loaded) {
  AdviseInput input;
  input.code = std::move(loaded.launch.loaded);
  input.machine = std::move(loaded.machine);
  input.machine_assumed = loaded.machine_assumed;
  input.launch = std::move(loaded.launch.launch);
  input.grid = input.launch->grid;
  input.block = input.launch->block;
  return input;
}

Result<std::unique_ptr<AdvisedLaunch>> advise_on(AdviseInput input,
                                                 const LaunchAdviceOptions& request,
                                                 const std::string& file,
                                                 const Progress& progress) {
  auto advised = std::make_unique<AdvisedLaunch>(std::move(input), request);
  if (const Result<void> runs =
          check_architecture(advised->input.code->kernel, advised->input.machine);
      !runs) {
    return runs.error();
  }
  const auto start = std::chrono::steady_clock::now();
  progress.step("emulating: launch", 0, 1);
  open_study(*advised, progress);
  progress.step("emulating: launch", 1, 1);
  if (const Result<void> found = find_causes(*advised); !found) return found.error();
  advised->source = std::make_unique<read::SourceText>(folder_of(file));
  const analyze::Study* const study = advised->study.get();
  advise::Case& c = advised->given.emplace(
      advise::Case{.kernel = study != nullptr ? study->kernel() : *advised->kernel,
                   .machine = advised->input.machine,
                   .blamed = advised->blamed});
  advise::AdviseOptions options = request.advise;
  if (const Result<void> shaped = find_shape(*advised, c, options); !shaped) {
    return shaped.error();
  }
  c.time_measured = advised->input.measured_us.has_value();
  c.time_us = advised->input.measured_us;
  if (!c.time_us && study != nullptr) c.time_us = study->base().time_us;
  c.study = study;
  c.accesses = !advised->input.counted.empty() ? advised->input.counted
               : study != nullptr              ? advise::accesses_of(study->kernel(), study->base())
                                               : std::vector<advise::AccessCount>{};
  c.source_line = [&source = *advised->source](std::string_view path, std::uint32_t line) {
    return std::string(source.line(std::string(path), line));
  };
  // The rules do not need it: it is found while they are asked.
  std::future<void> limited;
  if (study != nullptr) {
    limited = std::async(std::launch::async, [&] {
      const Timed timed("limits");
      advised->limits = analyze::limits(*study);
    });
  }
  if (advised->input.neighbours) c.neighbours = &*advised->input.neighbours;
  if (request.causes_only) {
    if (limited.valid()) limited.get();
    progress.done();
    return advised;
  }
  options.go_on = [&](std::size_t begun, std::size_t all) {
    progress.step("re-emulating without each cause:", begun, all);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return !request.budget_seconds || spent.count() < *request.budget_seconds;
  };
  const Timed timed("rules");
  advised->advice = advise::advise(c, options);
  if (limited.valid()) limited.get();
  if (advised->made_up) advise::note_made_up_contents(advised->advice.findings);
  progress.done();
  return advised;
}

}  // namespace burin::jobs
