#include "report/tune/tune.h"
#include "tune/configuration.h"

namespace burin::report {
namespace {

using tune::Status;
using tune::Trial;

void write_value(Json& json, std::string_view key, const formula::Value& value) {
  std::visit([&](const auto& plain) { json.field(key, plain); }, value);
}

void write_configuration(Json& json, const tune::Space& space, const tune::Point& point) {
  json.open("config", '{');
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    write_value(json, space.parameters()[i].name, space.value(point, i));
  }
  json.close();
}

// Of a predicted time. `reason`: why it should be measured instead.
void write_interval(Json& json, double low_us, double high_us, std::string_view reason) {
  json.field("low_us", low_us);
  json.field("high_us", high_us);
  json.field("defer", !reason.empty());
  if (!reason.empty()) json.field("reason", reason);
}

void write_trial(Json& json, const tune::Spec& spec, const tune::Space& space, const Trial& trial) {
  json.open('{');
  write_configuration(json, space, trial.point);
  const bool ok = trial.status == Status::kOk;
  if (ok) {
    json.field("time_us", trial.time_us);
  } else {
    json.field("time_us", nullptr);
  }
  json.field("status", tune::name(trial.status));
  if (!trial.reason.empty()) json.field("reason", trial.reason);
  if (ok && spec.objective.expression) {
    json.field("objective", tune::shown_objective(spec, trial.objective));
  }
  if (trial.cut_short) json.field("cut_short", true);
  if (trial.disturbed) json.field("disturbed", true);
  if (trial.compile_seconds > 0) json.field("compile_s", trial.compile_seconds);
  if (trial.measure_seconds > 0) json.field("measure_s", trial.measure_seconds);
  for (const auto& [name, value] : trial.figures) json.field(name, value);
  if (trial.is_predicted()) json.field("defer", !trial.reason.empty());
  if (!trial.host.empty()) json.field("host", trial.host);
  json.close();
}

void write_space(Json& json, const tune::Space& space) {
  json.open("space", '{');
  json.field("valid", space.size());
  json.field("product", space.product());
  json.open("parameters", '{');
  for (const tune::Parameter& parameter : space.parameters()) {
    json.open(parameter.name, '[');
    for (const formula::Value& value : parameter.values) {
      std::visit([&](const auto& plain) { json.element(plain); }, value);
    }
    json.close();
  }
  json.close();
  json.close();
}

void write_final(Json& json, const jobs::TunedRun& run) {
  if (!run.tuned.final) return;
  json.open("final", '{');
  json.field("confidence", run.tuned.final->confidence);
  json.open("finalists", '[');
  for (const tune::Finalist& finalist : run.tuned.final->finalists) {
    json.open('{');
    write_configuration(json, run.space, finalist.point);
    json.field("time_us", finalist.median_us);
    json.field("samples", finalist.times_us.size());
    json.close();
  }
  json.close();
  json.close();
}

void write_guided(Json& json, const jobs::TunedRun& run) {
  if (!run.guided) return;
  const model::Guided& found = run.guided->found;
  json.open("guided", '{');
  json.field("examined", found.trials.size());
  json.field("seconds", run.guided->seconds);
  json.open("path", '[');
  for (const model::GuidedMove& move : found.path) {
    const model::GuidedTrial& trial = found.trials[move.trial];
    json.open('{');
    json.field("number", move.trial + 1);
    json.field("text", move.text);
    write_configuration(json, run.space, trial.point);
    json.field("predicted_us", trial.examined.time_us);
    const measure::PredictedInterval& interval = trial.examined.interval;
    if (trial.examined.works()) {
      write_interval(json, interval.low_us, interval.high_us, interval.measure_because);
    }
    const model::Bottleneck bottleneck = trial.examined.bottleneck();
    json.field("bottleneck", machine::name(bottleneck.resource));
    json.field("bound_by", bottleneck.latency ? "latency" : "throughput");
    json.field("busy", trial.examined.utilization(bottleneck.resource));
    json.field("warps", trial.examined.warps);
    json.field("registers", trial.examined.registers);
    json.close();
  }
  json.close();
  json.close();
}

void write_run_fields(Json& json, const jobs::TunedKernel& tuned, const jobs::TunedRun& run,
                      bool trials) {
  json.field("device", run.device);
  json.open("problem", '{');
  for (const auto& [name, value] : run.size) write_value(json, name, value);
  json.close();
  json.field("seed", run.seed);
  if (const Trial* best = run.best()) {
    json.open("best", '{');
    write_configuration(json, run.space, best->point);
    json.field("time_us", run.best_time_us());
    if (best->is_predicted()) {
      write_interval(json, best->figures.at("low_us"), best->figures.at("high_us"), best->reason);
    }
    if (tuned.spec.objective.expression) {
      json.field("objective", tune::shown_objective(tuned.spec, best->objective));
      json.field("unit", tuned.spec.objective.unit);
    }
    json.close();
  } else {
    json.field("best", nullptr);
  }
  if (run.optimum_us) {
    json.field("optimum_us", *run.optimum_us);
  } else {
    json.field("optimum_us", nullptr);
  }
  write_final(json, run);
  write_guided(json, run);
  json.field("ended", tune::describe(run.tuned.ended));
  json.field("seconds", run.tuned.seconds);
  json.field("lab_seconds", run.tuned.lab_seconds);
  json.field("opening_seconds", tuned.opening_seconds);
  json.field("resumed", run.resumed);
  if (!trials) {
    json.field("trial_count", run.tuned.trials.size());
    return;
  }
  write_space(json, run.space);
  json.open("trials", '[');
  for (const Trial& trial : run.tuned.trials) write_trial(json, tuned.spec, run.space, trial);
  json.close();
}

}  // namespace

void write_tuned_json(Json& json, const jobs::TunedKernel& tuned) {
  json.open('{');
  json.field("schema", "burin.tune/1");
  json.field("kernel", tuned.kernel);
  json.field("strategy", tuned.strategy);
  json.field("caches", tuned.warm ? "warm" : "cold");
  if (!tuned.session.empty()) json.field("session", tuned.session);
  if (tuned.runs.size() == 1) {
    write_run_fields(json, tuned, tuned.runs.front(), true);
  } else {
    const bool seeds = !tuned.runs.empty() && tuned.runs.front().seed != tuned.runs.back().seed;
    json.open("runs", '[');
    for (const jobs::TunedRun& run : tuned.runs) {
      json.open('{');
      write_run_fields(json, tuned, run, !seeds);
      json.close();
    }
    json.close();
  }
  json.open("written", '[');
  for (const std::string& path : tuned.written) json.element(path);
  json.close();
  json.open("notes", '[');
  for (const std::string& note : tuned.notes) json.element(note);
  json.close();
  json.close();
}

}  // namespace burin::report
