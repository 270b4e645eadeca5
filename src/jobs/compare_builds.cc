#include "jobs/compare_builds.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "analyze/code/code_place.h"
#include "base/format.h"
#include "base/text.h"
#include "base/timings.h"
#include "jobs/advise_capture.h"
#include "jobs/input/launch_on_machine.h"
#include "jobs/input/load_kernel.h"
#include "jobs/input/open_capture.h"
#include "launch/stall_profile.h"
#include "read/binary/demangle.h"
#include "read/isa/decode.h"
#include "timing/predicted_profile.h"

namespace burin::jobs {
namespace {

std::set<read::Architecture> architectures_of(const read::Container& container) {
  std::set<read::Architecture> all;
  for (const read::Entry& entry : container.entries) {
    if (entry.kind == read::Entry::Kind::kCubin) all.insert(entry.arch);
  }
  return all;
}

// One that both files have code for: the newest that burin executes, else the newest.
std::optional<read::Architecture> common_architecture(const read::Container& a,
                                                      const read::Container& b) {
  std::optional<read::Architecture> best;
  const std::set<read::Architecture> others = architectures_of(b);
  for (const read::Architecture arch : architectures_of(a)) {
    if (!others.contains(arch)) continue;
    if (!best || std::pair(is_executed(arch), arch) > std::pair(is_executed(*best), *best)) {
      best = arch;
    }
  }
  return best;
}

read::Architecture newest_of(const read::Container& container) {
  std::optional<read::Architecture> best;
  for (const read::Architecture arch : architectures_of(container)) {
    if (!best || std::pair(is_executed(arch), arch) > std::pair(is_executed(*best), *best)) {
      best = arch;
    }
  }
  return *best;
}

bool is_meant(const read::Function& function, const std::optional<std::string>& wanted) {
  return !wanted || function.name.find(*wanted) != std::string::npos ||
         function.demangled.find(*wanted) != std::string::npos;
}

Result<advise::DiffSide> read_side(const std::string& file, const read::Container& container,
                                   read::Architecture arch,
                                   const std::optional<std::string>& wanted,
                                   const Progress& progress) {
  const Timed timed("read kernels");
  advise::DiffSide side{.file = file};
  std::set<std::string> seen;
  std::vector<const read::Entry*> cubins;
  for (const read::Entry& entry : container.entries) {
    if (entry.kind == read::Entry::Kind::kCubin && entry.arch == arch) cubins.push_back(&entry);
  }
  for (std::size_t k = 0; k < cubins.size(); ++k) {
    progress.step("reading image", k + 1, cubins.size());
    const Result<read::Image> image = read::load(*cubins[k]);
    if (!image) {
      side.notes.push_back(image.error().message);
      continue;
    }
    for (const read::Function& function : image->functions) {
      if (!function.is_kernel || !is_meant(function, wanted)) continue;
      if (!seen.insert(function.name).second) continue;
      const Result<read::Kernel> kernel =
          read::build_kernel(*image, function, {.dependences = false});
      if (kernel) {
        side.kernels.push_back(advise::facts_of(*kernel));
      } else {
        side.notes.push_back(kernel.error().within(function.demangled).message);
      }
    }
  }
  progress.done();
  if (side.kernels.empty()) {
    if (!side.notes.empty()) return Error{file + ": " + side.notes.front()};
    return Error{file +
                 (wanted ? ": no kernel name contains " + *wanted : ": contains no kernels")};
  }
  std::ranges::sort(side.kernels, {}, &advise::KernelFacts::demangled);
  return side;
}

// What the advisor says, as far as two are compared.
void add_advice(advise::KernelFacts& facts, AdvisedLaunch& advised) {
  std::vector<advise::AdviceFacts>& all = facts.advice.emplace();
  for (const advise::Finding& finding : advised.advice.findings) {
    advise::AdviceFacts made{.rule = finding.rule, .speedup = finding.speedup};
    if (finding.where != read::kNoIndex) {
      const analyze::CodePlace place = analyze::code_place(advised.given->kernel, finding.where);
      made.where = {std::string(place.file), place.line};
    }
    all.push_back(std::move(made));
  }
  if (advised.study != nullptr) {
    facts.predicted_us = advised.study->base().time_us;
    facts.certainty = advised.study->base().certainty;
    facts.machine = advised.input.machine.name;
  }
}

Result<advise::DiffSide> launched_side(const std::string& file, const DiffRequest& request,
                                       const LaunchAdviceOptions& advise,
                                       const Progress& progress) {
  PredictRequest command = request.command;
  command.launch.source.file = file;
  Result<LaunchOnMachine> loaded = load_on_machine(command, progress);
  if (!loaded) return loaded.error();
  Result<std::unique_ptr<AdvisedLaunch>> advised =
      advise_on(input_of(std::move(*loaded)), advise, file, progress);
  if (!advised) return advised.error();
  advise::DiffSide side{.file = file};
  const analyze::Study& study = *(*advised)->study;
  advise::KernelFacts facts = advise::facts_of(study.kernel());
  advise::add_profile(facts, study.kernel(), timing::profile_of(study.base()));
  add_advice(facts, **advised);
  side.kernels.push_back(std::move(facts));
  return side;
}

// A kernel whose code is not there is told of; the others are compared.
Result<advise::DiffSide> captured_side(const std::string& name, const DiffRequest& request,
                                       const LaunchAdviceOptions& advise,
                                       const Progress& progress) {
  const capture::CaptureName parts = capture::parse_capture_name(name);
  const Result<capture::Capture> capture = open_capture(parts.file);
  if (!capture) return capture.error();
  const CaptureChoice choice{.launch = parts.launch,
                             .kernels = std::numeric_limits<std::size_t>::max(),
                             .command = request.command};
  Result<std::vector<CaptureInput>> inputs = advise_inputs(*capture, choice, progress);
  if (!inputs) return inputs.error();
  advise::DiffSide side{.file = name};
  for (CaptureInput& each : *inputs) {
    if (!each.input) {
      side.notes.push_back(each.input.error().message);
      continue;
    }
    AdviseInput& input = *each.input;
    advise::KernelFacts facts = advise::facts_of(input.code->kernel);
    facts.launches = input.launches;
    facts.measured_us = input.measured_us;
    advise::add_profile(facts, input.code->kernel, input.samples);
    if (!request.predict) {
      input.launch.reset();
      input.not_emulated = "--predict is not set";
    }
    if (request.predict || input.samples.total() >= launch::kMinSamples) {
      Result<std::unique_ptr<AdvisedLaunch>> advised =
          advise_on(std::move(input), advise, parts.file, progress);
      if (advised) {
        add_advice(facts, **advised);
      } else {
        side.notes.push_back(advised.error().message);
      }
    }
    side.kernels.push_back(std::move(facts));
  }
  if (side.kernels.empty()) return Error{side.notes.front()};
  return side;
}

Result<DiffSides> binary_sides(const DiffRequest& request, const Progress& progress) {
  KernelSource source = request.command.launch.source;
  const Result<std::optional<read::Architecture>> parsed = parse_arch_option(source.arch);
  if (!parsed) return parsed.error();
  std::optional<read::Architecture> arch = *parsed;
  ChosenKernel kept[2];  // the bytes of the two files
  std::vector<read::Container> containers;
  for (const std::size_t k : {0u, 1u}) {
    source.file = k == 0 ? request.before : request.after;
    Result<read::Container> container = open_source(source, kept[k]);
    if (!container) return container.error();
    const std::set<read::Architecture> all = architectures_of(*container);
    if (all.empty()) return Error{source.file + ": contains no machine code"};
    if (arch && !all.contains(*arch)) {
      return Error{
          fmt::format("{}: contains no machine code for {}", source.file, read::to_string(*arch))};
    }
    containers.push_back(std::move(*container));
  }
  if (!arch) arch = common_architecture(containers[0], containers[1]);
  const read::Architecture first = arch ? *arch : newest_of(containers[0]);
  const read::Architecture second = arch ? *arch : newest_of(containers[1]);
  Result<advise::DiffSide> before =
      read_side(request.before, containers[0], first, source.kernel, progress);
  if (!before) return before.error();
  Result<advise::DiffSide> after =
      read_side(request.after, containers[1], second, source.kernel, progress);
  if (!after) return after.error();
  if (first != second) {
    after->notes.push_back(fmt::format("no common architecture: it has {}, the other {}",
                                       read::to_string(second), read::to_string(first)));
  }
  return DiffSides{std::move(*before), std::move(*after)};
}

Result<DiffSides> launch_sides(const DiffRequest& request, const LaunchAdviceOptions& advise,
                               const Progress& progress) {
  Result<advise::DiffSide> before = launched_side(request.before, request, advise, progress);
  if (!before) return before.error();
  DiffRequest other = request;
  if (!request.after_kernel.empty()) other.command.launch.source.kernel = request.after_kernel;
  Result<advise::DiffSide> after = launched_side(request.after, other, advise, progress);
  if (!after) return after.error();
  return DiffSides{std::move(*before), std::move(*after)};
}

// Puts what the launch says in place of what is known without one.
void replace_facts(advise::DiffSide& side, advise::KernelFacts facts) {
  const auto known = std::ranges::find(side.kernels, facts.name, &advise::KernelFacts::name);
  if (known == side.kernels.end()) {
    side.kernels.push_back(std::move(facts));
  } else {
    *known = std::move(facts);
  }
}

// A launch that one build cannot serve is told of; the others are compared.
Result<DiffSides> listed_sides(const DiffRequest& request, const LaunchAdviceOptions& advise,
                               const Progress& progress) {
  std::set<std::string> seen;
  for (const PredictRequest& launch : request.launches) {
    const std::string kernel = launch.launch.source.kernel.value_or("");
    if (seen.insert(kernel).second) continue;
    return Error{fmt::format("--launches: two launches of {}; a kernel is compared by one",
                             kernel.empty() ? "the only kernel" : kernel),
                 Exit::kUsage};
  }
  Result<DiffSides> sides = binary_sides(request, progress);
  if (!sides) return sides.error();
  for (const PredictRequest& launch : request.launches) {
    DiffRequest one = request;
    one.command = launch;
    for (const bool is_after : {false, true}) {
      advise::DiffSide& side = is_after ? sides->second : sides->first;
      Result<advise::DiffSide> made = launched_side(side.file, one, advise, progress);
      if (made) {
        replace_facts(side, std::move(made->kernels.front()));
      } else {
        side.notes.push_back("no prediction: " + made.error().message);
      }
    }
  }
  return sides;
}

Result<DiffSides> capture_sides(const DiffRequest& request, const LaunchAdviceOptions& advise,
                                const Progress& progress) {
  Result<advise::DiffSide> before = captured_side(request.before, request, advise, progress);
  if (!before) return before.error();
  Result<advise::DiffSide> after = captured_side(request.after, request, advise, progress);
  if (!after) return after.error();
  return DiffSides{std::move(*before), std::move(*after)};
}

bool is_capture(const std::string& name) {
  return is_capture_input(capture::parse_capture_name(name).file);
}

Result<DiffSides> sides_of(const DiffRequest& request, const LaunchAdviceOptions& advise,
                           const Progress& progress) {
  const bool first = is_capture(request.before);
  const bool second = is_capture(request.after);
  const LaunchRequest& launch = request.command.launch;
  if (first != second) {
    return Error{
        fmt::format("{} is a capture but {} is not; compare two captures or two binaries",
                    first ? request.before : request.after, first ? request.after : request.before),
        Exit::kUsage};
  }
  if (request.predict && !first) {
    return Error{
        "--predict is for captures; for two binaries give a launch with --grid, --block and --arg",
        Exit::kUsage};
  }
  if (!request.launches.empty()) {
    if (first) return Error{"--launches: captures already define their launches", Exit::kUsage};
    return listed_sides(request, advise, progress);
  }
  if (first) {
    for (const auto& [option, text] :
         {std::pair("--grid", launch.grid), {"--block", launch.block}}) {
      if (text.empty()) continue;
      return Error{fmt::format("{}: captures already define their launches", option), Exit::kUsage};
    }
    return capture_sides(request, advise, progress);
  }
  if (launch.grid.empty() && launch.block.empty() && launch.arguments.empty()) {
    if (!request.after_kernel.empty()) {
      return Error{"--after-kernel needs a launch; add --grid, --block and --arg", Exit::kUsage};
    }
    return binary_sides(request, progress);
  }
  LaunchRequest whole = launch;
  whole.source.file = request.before;
  if (const Result<void> all = complete(whole, "diff"); !all) return all.error();
  return launch_sides(request, advise, progress);
}

// A gate on time that nothing could tell would pass silently.
Result<void> check_told(const std::vector<advise::Gate>& gates, const advise::Diff& diff) {
  for (const advise::Gate& gate : gates) {
    if (gate.measure == "stall" && !launch::stall_named(gate.part)) {
      return Error{fmt::format("--fail-on: '{}': unknown stall reason '{}'; try long_scoreboard",
                               gate.text, gate.part),
                   Exit::kUsage};
    }
    if ((gate.measure != "time" && gate.measure != "slower") || diff.kernels.empty()) continue;
    const bool told = std::ranges::any_of(diff.kernels, [](const advise::KernelDiff& kernel) {
      return advise::time_change(kernel.pair).has_value();
    });
    if (told) continue;
    return Error{fmt::format("--fail-on: '{}': no times to compare; give a launch with --grid, "
                             "--block and --arg, or two captures",
                             gate.text),
                 Exit::kUsage};
  }
  return {};
}

}  // namespace

DiffResult::DiffResult(DiffSides sides_, const DiffRequest& request)
    : sides(std::move(sides_)),
      before_source(folder_of(request.before)),
      after_source(folder_of(request.after)) {}

Result<std::unique_ptr<DiffResult>> compare_builds(const DiffRequest& request,
                                                   const Progress& progress) {
  const auto gates = parse_each<advise::Gate>(
      "--fail-on", request.gates,
      [](const std::string& text) { return advise::parse_gate(text, advise::diff_measures()); });
  if (!gates) return gates.error();
  Result<timing::PredictOptions> predict = parse_predict_options(request.command);
  if (!predict) return predict.error();
  LaunchAdviceOptions advise{.predict = std::move(*predict)};
  advise.blame.average_path = request.average_path;
  Result<DiffSides> sides = sides_of(request, advise, progress);
  if (!sides) return sides.error();
  const Timed timed("compare");
  auto result = std::make_unique<DiffResult>(std::move(*sides), request);
  result->diff.emplace(advise::compare_sides(result->sides.first, result->sides.second,
                                             result->before_source, result->after_source));
  if (Result<void> told = check_told(*gates, *result->diff); !told) return told.error();
  result->crossed = advise::crossings(*gates, *result->diff);
  return result;
}

}  // namespace burin::jobs
