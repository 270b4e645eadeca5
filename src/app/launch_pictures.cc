#include "app/launch_pictures.h"

#include "base/text.h"
#include "report/html/launch_view.h"
#include "report/html/timeline_json.h"

namespace burin::app {
namespace {

constexpr std::size_t kMaxLinks = 100;      // of the critical path, in a report
constexpr std::size_t kMaxJsonLines = 200;  // the code has the costs of all lines

report::PredictReport predict_report(const jobs::LaunchOnMachine& on,
                                     const timing::PredictOptions& options,
                                     const timing::Prediction& prediction) {
  return {.kernel = on.launch.loaded->kernel,
          .launch = on.launch.launch,
          .machine = on.machine,
          .options = options,
          .prediction = prediction,
          .machine_assumed = on.machine_assumed,
          .most_json_lines = kMaxJsonLines};
}

Result<void> write(const PictureOptions& options, const report::LaunchView& view) {
  if (!options.trace.empty()) {
    const auto trace = [&](report::Json& json) {
      report::write_timeline_trace(json, view.code.kernel, view.predict->prediction.timeline);
    };
    if (Result<void> done = write_json_file("--trace", options.trace, trace); !done) return done;
  }
  if (options.html.empty()) return {};
  return write_html(options.html, report::title_of(view),
                    [&](report::Json& json) { report::write_launch_view(json, view); });
}

std::optional<double> recorded_us(const jobs::LaunchOnMachine& on) {
  return on.launch.captured ? on.launch.captured->recorded_us() : std::nullopt;
}

// What `burin explain` would say, as far as advise knows it: no split over regions.
analyze::Explanation explanation_of(const jobs::AdvisedLaunch& advised) {
  const analyze::Study& study = *advised.study;
  analyze::Explanation why;
  why.prediction = study.base();
  why.limits = advised.limits;
  why.roofline = analyze::roofline(study);
  why.path = analyze::critical_path(study.path());
  return why;
}

void write_advised(report::Json& json, jobs::AdvisedLaunch& advised, const std::string& file) {
  const report::AdviseReport advise = report::report_of(advised, file);
  report::CodeReport code{.kernel = advise.given.kernel, .source = advise.source};
  code.profiles.push_back(report::profile_of(advised.blamed));
  if (advised.study == nullptr) {
    report::write_launch_view(
        json, {.file = file, .advise = &advise, .code = code, .measured_us = advise.measured_us});
    return;
  }
  const analyze::Study& study = *advised.study;
  if (advised.blamed.source == advise::BlamedProfile::Source::kSamples) {
    code.profiles.push_back(report::profile_of(study.base()));
  }
  code.prediction = &study.base();
  const analyze::Explanation why = explanation_of(advised);
  const analyze::ExplainOptions options{.predict = study.options(), .split = false};
  const report::PredictReport predict{.kernel = study.kernel(),
                                      .launch = study.launch(),
                                      .machine = study.machine(),
                                      .options = study.options(),
                                      .prediction = study.base(),
                                      .machine_assumed = advised.input.machine_assumed,
                                      .most_json_lines = kMaxJsonLines};
  const report::ExplainReport explain{.kernel = study.kernel(),
                                      .launch = study.launch(),
                                      .machine = study.machine(),
                                      .options = options,
                                      .explanation = why,
                                      .machine_assumed = advised.input.machine_assumed,
                                      .most_links = kMaxLinks};
  report::write_launch_view(json, {.file = file,
                                   .predict = &predict,
                                   .explain = why.limits.rows.empty() ? nullptr : &explain,
                                   .advise = &advise,
                                   .code = code,
                                   .measured_us = advise.measured_us});
}

}  // namespace

Result<void> write_pictures(const PictureOptions& options, const jobs::PredictedLaunch& predicted,
                            const std::string& file) {
  if (!options.wanted()) return {};
  read::SourceText source(folder_of(file));
  const report::PredictReport predict =
      predict_report(predicted.on, predicted.options, predicted.prediction);
  report::CodeReport code{.kernel = predict.kernel, .source = source};
  code.profiles.push_back(report::profile_of(predicted.prediction));
  code.prediction = &predicted.prediction;
  const double known = predicted.known_us();
  return write(options,
               {.file = file,
                .predict = &predict,
                .code = code,
                .measured_us = known > 0 ? std::optional(known) : std::optional<double>()});
}

Result<void> write_pictures(const PictureOptions& options, const jobs::ExplainedLaunch& explained,
                            const std::string& file) {
  if (!options.wanted()) return {};
  read::SourceText source(folder_of(file));
  const timing::Prediction& prediction = explained.explanation.prediction;
  const report::PredictReport predict =
      predict_report(explained.on, explained.options.predict, prediction);
  const report::ExplainReport explain{.kernel = predict.kernel,
                                      .launch = predict.launch,
                                      .machine = predict.machine,
                                      .options = explained.options,
                                      .explanation = explained.explanation,
                                      .machine_assumed = predict.machine_assumed,
                                      .most_links = kMaxLinks};
  report::CodeReport code{.kernel = predict.kernel, .source = source};
  code.profiles.push_back(report::profile_of(prediction));
  code.prediction = &prediction;
  return write(options, {.file = file,
                         .predict = &predict,
                         .explain = &explain,
                         .code = code,
                         .measured_us = recorded_us(explained.on)});
}

Result<void> write_pictures(const PictureOptions& options,
                            const std::vector<std::unique_ptr<jobs::AdvisedLaunch>>& advised,
                            const std::string& file) {
  if (options.html.empty()) return {};
  const std::string title = "advice for " + std::string(file_name(file));
  return write_html(options.html, title, [&](report::Json& json) {
    for (const auto& launch : advised) write_advised(json, *launch, file);
  });
}

}  // namespace burin::app
