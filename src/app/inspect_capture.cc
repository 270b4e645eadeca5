#include "app/inspect_capture.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "app/choose_machine.h"
#include "app/launch_options.h"
#include "app/open_capture.h"
#include "base/text.h"
#include "base/timings.h"
#include "capture/counts.h"
#include "capture/groups.h"
#include "capture/rebuilt_launch.h"
#include "machine/load.h"
#include "read/binary/demangle.h"
#include "report/capture.h"
#include "report/captured_launch.h"
#include "timing/predict.h"
#include "timing/predicted_profile.h"

namespace burin {
namespace {

constexpr std::size_t kLaunchesUnasked = 20;
constexpr double kFewestSamples = 100;  // of a kernel, before its mix of reasons says anything

// Whether each kernel is one that --kernel means.
std::vector<bool> chosen_kernels(const Capture& capture, const CaptureView& view) {
  std::vector<bool> chosen;
  for (const CapturedKernel& kernel : capture.kernels()) {
    chosen.push_back(!view.kernel || kernel.name.find(*view.kernel) != std::string::npos ||
                     demangle(kernel.name).find(*view.kernel) != std::string::npos);
  }
  return chosen;
}

Result<Machine> machine_for(const Capture& capture, const CapturedLaunch& launch, Architecture arch,
                            const CaptureView& view, bool& is_assumed) {
  is_assumed = false;
  if (!view.machine.empty()) return load_machine(view.machine);
  if (const CapturedGpu* gpu = capture.gpu(launch.gpu)) {
    return machine_of_gpu(gpu->name, arch, gpu->multiprocessors, is_assumed);
  }
  is_assumed = true;
  return default_machine(arch);
}

Result<void> compare_with_counts(const Capture& capture, const Prediction& prediction,
                                 ComparedGroup& group) {
  const auto counted = std::ranges::find(group.group.launches, true, &CapturedLaunch::has_counts);
  if (counted == group.group.launches.end()) return {};
  const auto counts = capture.counts(**counted);
  if (!counts) return counts.error();
  std::vector<double> ours;
  for (const InstructionCost& cost : prediction.costs) ours.push_back(cost.issued);
  group.counts = compare_counts(ours, *counts);
  return {};
}

// An Error is the group's own: the others go on.
Result<void> predict_group(const Capture& capture, const CaptureView& view, ComparedGroup& group,
                           CaptureComparison& comparison) {
  const Result<LoadedLaunch> loaded = load_launch(capture, *group.group.example, {});
  if (!loaded) return loaded.error();
  const Kernel& kernel = loaded->loaded->kernel;
  bool is_assumed = false;
  const Result<Machine> machine =
      machine_for(capture, *group.group.example, loaded->loaded->image.arch, view, is_assumed);
  if (!machine) return machine.error();
  if (Result<void> runs = check_architecture(kernel, *machine); !runs) return runs;
  comparison.machine = machine->name;
  comparison.machine_assumed = is_assumed;
  PredictOptions options;
  options.warm = view.warm || (!view.cold && group.group.is_warm());
  group.is_warm = options.warm;
  const Result<Prediction> prediction = predict(kernel, loaded->launch, *machine, options);
  if (!prediction) return prediction.error();
  group.predicted_us = prediction->time_us;
  group.unknown_share = prediction->unknown_share;
  const Result<StallProfile> measured = capture.profile(group.group.example->kernel);
  if (!measured) return measured.error();
  if (measured->total() >= kFewestSamples)
    group.stalls = compare(profile_of(*prediction), *measured);
  return compare_with_counts(capture, *prediction, group);
}

Result<CaptureComparison> compare_all(const Capture& capture, const CaptureView& view,
                                      Context& context) {
  const Timed timed("compare");
  Result<std::vector<LaunchGroup>> groups = group_launches(capture);
  if (!groups) return groups.error();
  const std::vector<bool> chosen = chosen_kernels(capture, view);
  std::erase_if(*groups, [&](const LaunchGroup& g) { return !chosen[g.example->kernel - 1]; });
  CaptureComparison comparison;
  for (LaunchGroup& group : *groups) {
    ComparedGroup each;
    each.group = std::move(group);
    context.progress("predicting launch", comparison.groups.size() + 1, groups->size());
    if (const Result<void> done = predict_group(capture, view, each, comparison); !done) {
      each.problem = done.error().message;
    }
    comparison.groups.push_back(std::move(each));
  }
  context.clear_progress();
  return comparison;
}

// The launches are shown in their order all the same.
void keep_longest(CaptureReport& report) {
  if (report.launches.size() <= kLaunchesUnasked) return;
  report.left_out = report.launches.size() - kLaunchesUnasked;
  std::ranges::stable_sort(report.launches, std::ranges::greater{},
                           [](const CapturedLaunch* l) { return l->duration_ns.value_or(0); });
  report.launches.resize(kLaunchesUnasked);
  std::ranges::sort(report.launches, {}, &CapturedLaunch::id);
}

Result<Exit> write_stacks(const Capture& capture, Context& context) {
  const Result<std::map<std::string, std::uint64_t>> folded = folded_stacks(capture);
  if (!folded) return folded.error();
  if (context.json) {
    Json json(context.out);
    json.open('{');
    json.field("schema", "burin.stacks/1");
    for (const auto& [path, value] : *folded) json.field(path, value);
    json.close();
    return Exit::kDone;
  }
  for (const auto& [path, value] : *folded) context.out.put(path, ' ', value, '\n');
  return Exit::kDone;
}

Result<Exit> show_launch(const Capture& capture, const std::string& which, Context& context) {
  const Result<const CapturedLaunch*> launch = find_launch(capture, which);
  if (!launch) return launch.error();
  Result<CapturedArguments> arguments = capture.arguments((*launch)->id);
  if (!arguments) return arguments.error();
  Result<std::vector<CapturedFrame>> stack = capture.stack((*launch)->stack);
  if (!stack) return stack.error();
  const CapturedLaunchReport report{capture, **launch, std::move(*arguments), std::move(*stack)};
  if (context.json) {
    Json json(context.out);
    write_captured_launch_json(json, report);
  } else {
    write_captured_launch(context.out, report);
  }
  return Exit::kDone;
}

}  // namespace

void add_capture_view(CLI::App& app, CaptureView& view) {
  constexpr const char* kGroup = "Captures";
  app.add_flag("--compare", view.compare, "Predict the launches and compare with measured times")
      ->group(kGroup);
  app.add_flag("--stacks", view.stacks, "Print the host call stacks of the launches, folded")
      ->group(kGroup);
  app.add_flag("--all", view.all, "List every launch, not only the longest 20")->group(kGroup);
  app.add_option("--machine", view.machine,
                 "GPU to predict for (default: the one it was recorded on)")
      ->type_name("NAME|FILE")
      ->group(kGroup);
  CLI::Option* cold = app.add_flag("--cold", view.cold, "Predict with cold caches")->group(kGroup);
  app.add_flag(
         "--warm", view.warm,
         "Predict with buffers in L2, as far as they fit (default: if an earlier launch used them)")
      ->group(kGroup)
      ->excludes(cold);
}

Result<Exit> inspect_capture(const std::string& name, const CaptureView& view, Context& context) {
  const CaptureName parts = parse_capture_name(name);
  const Result<Capture> capture = open_capture(parts.file);
  if (!capture) return capture.error();
  if (view.stacks) return write_stacks(*capture, context);
  if (!parts.launch.empty()) return show_launch(*capture, parts.launch, context);
  const std::vector<bool> chosen = chosen_kernels(*capture, view);
  if (view.kernel && std::ranges::find(chosen, true) == chosen.end()) {
    return Error{parts.file + ": no kernel name contains " + *view.kernel};
  }
  CaptureReport report{.capture = *capture, .launches = {}, .samples = capture->sample_counts()};
  for (const CapturedLaunch& launch : capture->launches()) {
    if (chosen[launch.kernel - 1]) report.launches.push_back(&launch);
  }
  if (!view.all && !context.json) keep_longest(report);
  std::optional<CaptureComparison> comparison;
  if (view.compare) {
    Result<CaptureComparison> compared = compare_all(*capture, view, context);
    if (!compared) return compared.error();
    comparison = std::move(*compared);
    report.comparison = &*comparison;
    if (view.all) report.most_groups = comparison->groups.size();
  }
  if (context.json) {
    Json json(context.out);
    write_capture_json(json, report);
  } else {
    write_capture(context.out, report);
  }
  return Exit::kDone;
}

}  // namespace burin
