#include "report/tune/session_json.h"

#include <algorithm>

namespace burin::report {
namespace {

void write_named(Json& json, std::string_view key, const formula::Value& value) {
  std::visit([&](const auto& plain) { json.field(key, plain); }, value);
}

void write_point(Json& json, const tune::SessionHeader& header, const tune::Point& point) {
  json.open("config", '{');
  for (std::size_t i = 0; i < std::min(point.size(), header.parameters.size()); ++i) {
    write_named(json, header.parameters[i].name, header.parameters[i].values[point[i]]);
  }
  json.close();
}

const tune::Trial* best_of(const std::vector<tune::Trial>& trials) {
  const tune::Trial* best = nullptr;
  for (const tune::Trial& trial : trials) {
    if (trial.status != tune::Status::kOk) continue;
    if (best == nullptr || trial.objective < best->objective) best = &trial;
  }
  return best;
}

void write_run(Json& json, const tune::SessionHeader& header, const ReadSession::Run& run) {
  json.open('{');
  json.field("device", run.run.header.device);
  json.open("problem", '{');
  for (const auto& [name, value] : run.run.header.problem_size) write_named(json, name, value);
  json.close();
  json.field("seed", run.run.header.seed);
  if (const tune::Trial* best = best_of(run.trials)) {
    json.open("best", '{');
    write_point(json, header, best->point);
    json.field("time_us", best->time_us);
    json.close();
  } else {
    json.field("best", nullptr);
  }
  json.field("optimum_us", nullptr);
  json.field("ended", run.winner ? "its winner was recorded" : "it has not ended, or was stopped");
  double seconds = 0;
  for (const tune::Trial& trial : run.trials) {
    seconds += trial.compile_seconds + trial.measure_seconds;
  }
  json.field("seconds", seconds);
  json.open("space", '{');
  json.open("parameters", '{');
  for (const tune::Parameter& parameter : header.parameters) {
    json.open(parameter.name, '[');
    for (const formula::Value& value : parameter.values) {
      std::visit([&](const auto& plain) { json.element(plain); }, value);
    }
    json.close();
  }
  json.close();
  json.close();
  json.open("trials", '[');
  for (const tune::Trial& trial : run.trials) {
    json.open('{');
    write_point(json, header, trial.point);
    const bool ok = trial.status == tune::Status::kOk;
    json.field("time_us", ok ? std::optional(trial.time_us) : std::optional<double>());
    json.field("status", tune::name(trial.status));
    if (!trial.reason.empty()) json.field("reason", trial.reason);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace

Result<ReadSession> read_session(const tune::Session& session) {
  ReadSession read{.header = session.header(), .path = session.path(), .runs = {}};
  Result<std::vector<tune::SessionRun>> runs = session.runs();
  if (!runs) return runs.error();
  for (tune::SessionRun& run : *runs) {
    Result<std::vector<tune::Trial>> trials = session.trials(run.id);
    if (!trials) return trials.error();
    Result<std::optional<tune::Winner>> winner = session.winner(run.id);
    if (!winner) return winner.error();
    read.runs.push_back({std::move(run), std::move(*trials), std::move(*winner)});
  }
  return read;
}

void write_session_json(Json& json, const ReadSession& session) {
  json.open('{');
  json.field("schema", "burin.tune/1");
  json.field("kernel", session.header.kernel);
  json.field("strategy", session.runs.empty() ? "" : session.runs.front().run.header.strategy);
  json.field("session", session.path);
  json.open("runs", '[');
  for (const ReadSession::Run& run : session.runs) write_run(json, session.header, run);
  json.close();
  json.open("written", '[');
  json.close();
  json.open("notes", '[');
  json.close();
  json.close();
}

}  // namespace burin::report
