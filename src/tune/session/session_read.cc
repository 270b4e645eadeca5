// What a session contains.
#include <limits>
#include <utility>

#include "tune/session/columns.h"
#include "tune/session/session.h"

namespace burin::tune {

Result<bool> Session::read_header() {
  store::Statement row = database_.statement(
      "SELECT burin, kernel, spec, source_digest, objective, space_digest FROM session");
  row.start();
  if (!row.next()) return row.ok() ? Result<bool>(false) : Result<bool>(row.error());
  header_ = {.burin = row.text(0),
             .kernel = row.text(1),
             .spec = row.text(2),
             .source_digest = row.text(3),
             .objective = row.text(4)};
  const std::string digest = row.text(5);
  store::Statement parameter =
      database_.statement("SELECT name, possible FROM parameter ORDER BY position");
  for (parameter.start(); parameter.next();) {
    std::optional<std::vector<formula::Value>> values = parse_json_list(parameter.text(1));
    if (!values) return damaged_session(path(), "the values of " + parameter.text(0));
    header_.parameters.push_back({parameter.text(0), std::move(*values)});
  }
  store::Statement restriction =
      database_.statement("SELECT expression FROM restriction ORDER BY position");
  for (restriction.start(); restriction.next();) {
    header_.restrictions.push_back(restriction.text(0));
  }
  if (!database_.ok()) return database_.error();
  if (space_digest(header_) != digest) return damaged_session(path(), "its parameters");
  return true;
}

Result<std::vector<SessionRun>> Session::runs() const {
  std::vector<SessionRun> runs;
  store::Statement row = database_.statement(
      "SELECT id, device, problem_size, strategy, seed, ahead, started_unix_ms,"
      " (SELECT count(*) FROM trial WHERE trial.run = run.id) FROM run ORDER BY id");
  for (row.start(); row.next();) {
    SessionRun run{.id = row.integer(0),
                   .header = {.device = row.text(1),
                              .strategy = row.text(3),
                              .seed = row.number(4),
                              .ahead = row.number(5)},
                   .trials = row.number(7),
                   .started_unix_ms = row.integer(6)};
    const std::optional<std::vector<NamedValue>> size = parse_flat_json(row.text(2));
    if (!size) return damaged_session(path(), "the problem size of a run");
    for (const auto& [name, value] : *size) run.header.problem_size.emplace(name, value);
    runs.push_back(std::move(run));
  }
  if (!row.ok()) return row.error();
  return runs;
}

Result<std::vector<Trial>> Session::trials(std::int64_t run) const {
  std::vector<Trial> trials;
  store::Statement row = database_.statement(
      "SELECT point, status, reason, objective, time_us, times_us, cut_short, compile_seconds,"
      " measure_seconds, figures, device, host, unix_ms, disturbed FROM trial WHERE run = ? ORDER "
      "BY id");
  for (row.start(run); row.next();) {
    std::optional<Point> point = parse_point(row.text(0), header_.parameters);
    const std::optional<Status> status = parse_status(row.text(1));
    const std::optional<std::vector<NamedValue>> figures = parse_flat_json(row.text(9));
    if (!point || !status || !figures) return damaged_session(path(), "one of its trials");
    Trial trial{.point = std::move(*point),
                .status = *status,
                .reason = row.text(2),
                .objective = row.is_null(3) ? std::numeric_limits<double>::infinity() : row.real(3),
                .time_us = row.real(4),
                .times_us = unpack_times(row.bytes(5)),
                .cut_short = row.integer(6) != 0,
                .disturbed = row.integer(13) != 0,
                .compile_seconds = row.real(7),
                .measure_seconds = row.real(8),
                .device = row.text(10),
                .host = row.text(11),
                .unix_ms = row.integer(12)};
    for (const auto& [name, value] : *figures) {
      trial.figures.emplace(name, formula::number(value).value_or(0));
    }
    trials.push_back(std::move(trial));
  }
  if (!row.ok()) return row.error();
  return trials;
}

Result<std::optional<Winner>> Session::winner(std::int64_t run) const {
  store::Statement row = database_.statement(
      "SELECT point, objective, time_us, finalist, confidence, unix_ms FROM winner WHERE run = ?");
  row.start(run);
  if (!row.next()) {
    if (!row.ok()) return row.error();
    return std::optional<Winner>();
  }
  std::optional<Point> point = parse_point(row.text(0), header_.parameters);
  if (!point) return damaged_session(path(), "the winner of a run");
  Winner winner{.point = std::move(*point),
                .objective = row.real(1),
                .time_us = row.real(2),
                .unix_ms = row.integer(5)};
  if (const std::optional<std::int64_t> position = row.maybe(3)) {
    Final final{.winner = static_cast<std::size_t>(*position), .confidence = row.real(4)};
    store::Statement finalist = database_.statement(
        "SELECT point, median_us, times_us FROM finalist WHERE run = ? ORDER BY position");
    for (finalist.start(run); finalist.next();) {
      std::optional<Point> other = parse_point(finalist.text(0), header_.parameters);
      if (!other) return damaged_session(path(), "a finalist of a run");
      final.finalists.push_back({.point = std::move(*other),
                                 .times_us = unpack_times(finalist.bytes(2)),
                                 .median_us = finalist.real(1)});
    }
    if (!finalist.ok()) return finalist.error();
    if (final.winner >= final.finalists.size())
      return damaged_session(path(), "the finalists of a run");
    winner.final = std::move(final);
  }
  return std::optional<Winner>(std::move(winner));
}

}  // namespace burin::tune
