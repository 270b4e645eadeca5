#include "app/inspect_capture.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "capture/rebuilt_launch.h"
#include "jobs/compare_capture.h"
#include "jobs/input/open_capture.h"
#include "report/capture/capture.h"
#include "report/capture/captured_launch.h"
#include "report/html/capture_trace.h"
#include "report/html/capture_views.h"

namespace burin::app {
namespace {

constexpr std::size_t kLaunchesUnasked = 20;

// The launches are shown in their order all the same.
void keep_longest(report::CaptureReport& report) {
  if (report.launches.size() <= kLaunchesUnasked) return;
  report.left_out = report.launches.size() - kLaunchesUnasked;
  std::ranges::stable_sort(
      report.launches, std::ranges::greater{},
      [](const capture::CapturedLaunch* l) { return l->duration_ns.value_or(0); });
  report.launches.resize(kLaunchesUnasked);
  std::ranges::sort(report.launches, {}, &capture::CapturedLaunch::id);
}

Result<Exit> write_stacks(const capture::Capture& capture, Context& context) {
  const Result<std::map<std::string, std::uint64_t>> folded = report::folded_stacks(capture);
  if (!folded) return folded.error();
  if (context.json) {
    report::Json json(context.out);
    json.open('{');
    json.field("schema", "burin.stacks/1");
    for (const auto& [path, value] : *folded) json.field(path, value);
    json.close();
    return Exit::kDone;
  }
  for (const auto& [path, value] : *folded) context.out.put(path, ' ', value, '\n');
  return Exit::kDone;
}

Result<void> write_pictures(const PictureOptions& pictures, const report::CaptureReport& whole,
                            const std::string& machine) {
  if (!pictures.trace.empty()) {
    const auto trace = [&](report::Json& json) { report::write_capture_trace(json, whole); };
    if (Result<void> done = write_json_file("--trace", pictures.trace, trace); !done) return done;
  }
  if (pictures.html.empty()) return {};
  return write_html(pictures.html, "capture " + whole.capture.path(),
                    [&](report::Json& json) { report::write_capture_views(json, whole, machine); });
}

Result<Exit> show_launch(const capture::Capture& capture, const std::string& which,
                         Context& context) {
  const Result<const capture::CapturedLaunch*> launch = capture::find_launch(capture, which);
  if (!launch) return launch.error();
  Result<capture::CapturedArguments> arguments = capture.arguments((*launch)->id);
  if (!arguments) return arguments.error();
  Result<std::vector<capture::CapturedFrame>> stack = capture.stack((*launch)->stack);
  if (!stack) return stack.error();
  const report::CapturedLaunchReport report{capture, **launch, std::move(*arguments),
                                            std::move(*stack)};
  if (context.json) {
    report::Json json(context.out);
    report::write_captured_launch_json(json, report);
  } else {
    report::write_captured_launch(context.out, report);
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
  add_html_option(app, view.pictures);
  add_trace_option(app, view.pictures);
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
  const capture::CaptureName parts = capture::parse_capture_name(name);
  const Result<capture::Capture> capture = jobs::open_capture(parts.file);
  if (!capture) return capture.error();
  if (Result<void> fine = check(view.pictures, {parts.file}); !fine) return fine.error();
  if (view.pictures.wanted() && (view.stacks || !parts.launch.empty())) {
    return Error{"--html and --trace show a whole capture; for one launch use burin advise " +
                     parts.file + ":LAUNCH --html FILE",
                 Exit::kUsage};
  }
  if (view.stacks) return write_stacks(*capture, context);
  if (!parts.launch.empty()) return show_launch(*capture, parts.launch, context);
  const std::vector<bool> chosen = jobs::matching_kernels(*capture, view.kernel);
  if (view.kernel && std::ranges::find(chosen, true) == chosen.end()) {
    return Error{parts.file + ": no kernel name contains " + *view.kernel};
  }
  report::CaptureReport report{
      .capture = *capture, .launches = {}, .samples = capture->sample_counts()};
  for (const capture::CapturedLaunch& launch : capture->launches()) {
    if (chosen[launch.kernel - 1]) report.launches.push_back(&launch);
  }
  const std::vector<const capture::CapturedLaunch*> every = report.launches;
  if (!view.all && !context.json) keep_longest(report);
  std::optional<jobs::CaptureComparison> comparison;
  if (view.compare) {
    Result<jobs::CaptureComparison> compared = jobs::compare_capture(
        *capture,
        {.kernel = view.kernel, .warm = view.warm, .cold = view.cold, .machine = view.machine},
        context.progress());
    if (!compared) return compared.error();
    comparison = std::move(*compared);
    report.comparison = &*comparison;
    if (view.all) report.most_groups = comparison->groups.size();
  }
  if (view.pictures.wanted()) {
    report::CaptureReport whole = report;
    whole.launches = every;
    if (Result<void> done = write_pictures(view.pictures, whole, view.machine); !done) {
      return done.error();
    }
  }
  if (context.json) {
    report::Json json(context.out);
    report::write_capture_json(json, report);
  } else {
    report::write_capture(context.out, report);
  }
  return Exit::kDone;
}

}  // namespace burin::app
