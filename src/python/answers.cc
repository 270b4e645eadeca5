#include "python/answers.h"

#include <utility>

#include "base/text.h"
#include "jobs/compare_capture.h"
#include "jobs/input/open_capture.h"
#include "jobs/predict_launch.h"
#include "machine/load.h"
#include "python/text_of.h"
#include "read/program/source.h"
#include "report/advice/advise.h"
#include "report/capture/capture.h"
#include "report/computer/machines.h"
#include "report/launch/device_run.h"
#include "report/launch/explain.h"
#include "report/launch/predict.h"
#include "report/launch/run.h"

namespace burin::python {

Result<Answer> predict(const jobs::PredictRequest& request) {
  const std::string& file = request.launch.source.file;
  const Result<std::unique_ptr<jobs::PredictedLaunch>> predicted =
      jobs::predict_launch(request, {});
  if (!predicted) return predicted.error();
  const jobs::PredictedLaunch& p = **predicted;
  const report::PredictReport report{.kernel = p.on.launch.loaded->kernel,
                                     .launch = p.on.launch.launch,
                                     .machine = p.on.machine,
                                     .options = p.options,
                                     .prediction = p.prediction,
                                     .machine_assumed = p.on.machine_assumed};
  Answer answer;
  answer.json = json_of([&](report::Json& json) {
    json.open('{');
    report::write_prediction_json(json, report, file);
    if (p.measured) report::write_device_run_json(json, *p.measured);
    if (const auto& captured = p.on.launch.captured) {
      json.field("captured_launch", captured->launch.id);
      if (p.known_us() > 0) json.field("recorded_us", p.known_us());
    }
    if (p.known_us() > 0) json.field("error", p.error());
    json.close();
  });
  answer.text = text_of([&](report::Output& out) {
    read::SourceText source(folder_of(file));
    report::write_prediction(out, report, source);
  });
  return answer;
}

Result<Answer> explain(const jobs::ExplainRequest& request) {
  const Result<std::unique_ptr<jobs::ExplainedLaunch>> explained =
      jobs::explain_launch(request, {});
  if (!explained) return explained.error();
  const jobs::LaunchOnMachine& on = (*explained)->on;
  const report::ExplainReport report{.kernel = on.launch.loaded->kernel,
                                     .launch = on.launch.launch,
                                     .machine = on.machine,
                                     .options = (*explained)->options,
                                     .explanation = (*explained)->explanation,
                                     .machine_assumed = on.machine_assumed};
  Answer answer;
  answer.json = json_of([&](report::Json& json) {
    report::write_explanation_json(json, report, request.predict.launch.source.file);
  });
  answer.text = text_of([&](report::Output& out) { report::write_explanation(out, report); });
  return answer;
}

Result<Answer> advise(const jobs::AdviseRequest& request) {
  const Result<std::unique_ptr<jobs::PreparedAdvice>> prepared = jobs::prepare_advice(request);
  if (!prepared) return prepared.error();
  Result<jobs::AdvisedLaunches> advised = jobs::advise_launches(request, **prepared, {});
  if (!advised) return advised.error();
  const std::string& file = request.predict.launch.source.file;
  Answer answer;
  answer.warnings = std::move(advised->problems);
  answer.json = json_of([&](report::Json& json) {
    json.open('[');
    for (const auto& launch : advised->launches)
      report::write_advice_json(json, report::report_of(*launch, file));
    json.close();
  });
  answer.text = text_of([&](report::Output& out) {
    for (std::size_t k = 0; k < advised->launches.size(); ++k) {
      if (k > 0) out.put('\n');
      report::write_advice(out, report::report_of(*advised->launches[k], file));
    }
  });
  return answer;
}

Result<RunAnswer> run(const jobs::RunRequest& request, const std::vector<std::size_t>& returned) {
  Result<std::unique_ptr<jobs::RanLaunch>> ran = jobs::run_launch(request, {});
  if (!ran) return ran.error();
  const jobs::RanLaunch& r = **ran;
  if (r.run.stopped) return r.run.stopped->within(r.launch.loaded->function().demangled);
  const std::string& file = request.launch.source.file;
  const report::RunReport report{.kernel = r.launch.loaded->kernel,
                                 .launch = r.launch.launch,
                                 .run = r.run,
                                 .traffic = r.traffic.get(),
                                 .outputs = r.written,
                                 .checks = r.checked,
                                 .counts = r.counts,
                                 .seconds = r.seconds};
  RunAnswer answer;
  answer.passed = r.passed();
  answer.warnings = r.warnings;
  answer.json = json_of([&](report::Json& json) {
    json.open('{');
    report::write_run_json(json, report, file);
    json.close();
  });
  answer.text = text_of([&](report::Output& out) {
    read::SourceText source(folder_of(file));
    report::write_run(out, report, source);
  });
  for (const std::size_t argument : returned) {
    if (const auto buffer = launch::buffer_at(r.launch.launch, argument); !buffer) {
      return buffer.error();
    }
    Result<emulate::ReadOutput> output = emulate::read_output(r.run, argument);
    if (!output) return output.error();
    answer.buffers.emplace(argument, std::move(*output));
  }
  return answer;
}

bool is_capture(const std::string& file) {
  return jobs::is_capture_input(file);
}

Result<Answer> capture(const CaptureRequest& request) {
  const Result<capture::Capture> capture = jobs::open_capture(request.file);
  if (!capture) return capture.error();
  const std::vector<bool> chosen = jobs::matching_kernels(*capture, request.kernel);
  report::CaptureReport report{
      .capture = *capture, .launches = {}, .samples = capture->sample_counts()};
  for (const capture::CapturedLaunch& launch : capture->launches()) {
    if (chosen[launch.kernel - 1]) report.launches.push_back(&launch);
  }
  if (request.kernel && report.launches.empty()) {
    return Error{request.file + ": no kernel name contains " + *request.kernel};
  }
  std::optional<jobs::CaptureComparison> comparison;
  if (request.compare) {
    Result<jobs::CaptureComparison> compared =
        jobs::compare_capture(*capture, {.kernel = request.kernel, .machine = request.machine}, {});
    if (!compared) return compared.error();
    comparison = std::move(*compared);
    report.comparison = &*comparison;
  }
  Answer answer;
  answer.json = json_of([&](report::Json& json) { report::write_capture_json(json, report); });
  answer.text = text_of([&](report::Output& out) { report::write_capture(out, report); });
  return answer;
}

Result<Answer> machines(const std::string& name) {
  std::vector<machine::Machine> loaded;
  for (const std::string& each :
       name.empty() ? machine::known_machines() : std::vector<std::string>{name}) {
    Result<machine::Machine> machine = machine::load_machine(each);
    if (!machine) return machine.error();
    loaded.push_back(std::move(*machine));
  }
  Answer answer;
  answer.json = text_of(
      [&](report::Output& out) { report::write_machines_json(out, loaded, !name.empty()); });
  answer.text = text_of([&](report::Output& out) {
    if (name.empty()) {
      report::write_machine_list(out, loaded);
    } else {
      report::write_machine_entries(out, loaded.front());
    }
  });
  return answer;
}

}  // namespace burin::python
