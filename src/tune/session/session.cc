#include "tune/session/session.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/format.h"
#include "base/sha256.h"
#include "tune/session/columns.h"
#include "tune/session/schema.h"

namespace burin::tune {
namespace {

constexpr std::size_t kBatchTrials = 10'000;
constexpr std::chrono::seconds kBatchTime{1};

std::int64_t now_unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string text_digest(std::string_view text) {
  return sha256_hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

bool fits(const Point& point, std::span<const Parameter> parameters) {
  return std::ranges::equal(point, parameters, [](std::uint16_t index, const Parameter& p) {
    return index < p.values.size();
  });
}

}  // namespace

Session::Session(store::Database database, Durability durability)
    : database_(std::move(database)), durability_(durability) {}

Session::Session(Session&& other) noexcept
    : database_(std::move(other.database_)),
      durability_(other.durability_),
      header_(std::move(other.header_)),
      in_batch_(std::exchange(other.in_batch_, false)),
      batched_(other.batched_),
      batch_start_(other.batch_start_),
      insert_(std::move(other.insert_)) {
  other.insert_.reset();
}

Session::~Session() {
  (void)flush();
}

bool Session::is_session(Bytes begin) {
  return store::Database::is_database(begin) && store::Database::has_mark(begin, kSessionFile);
}

Result<Session> Session::create(const std::string& path, const SessionHeader& header,
                                Durability durability) {
  return write(path, header, durability, false);
}

Result<Session> Session::resume(const std::string& path, const SessionHeader& header,
                                Durability durability) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return Error{path + ": there is no such session to resume; leave out --resume to begin one"};
  }
  return write(path, header, durability, true);
}

Result<Session> Session::write(const std::string& path, const SessionHeader& header,
                               Durability durability, bool resumed) {
  Result<store::Database> database = store::Database::append(path, kSessionFile);
  if (!database) return database.error();
  Session session(std::move(*database), durability);
  const Result<bool> found = session.read_header();
  if (!found) return found.error();
  if (!*found) {
    // New, or its writer was killed before it had written the header.
    if (Result<void> done = session.write_header(header); !done) return done.error();
    return session;
  }
  if (!resumed) {
    return Error{path + ": this session exists; resume it with --resume, or name another file"};
  }
  if (const std::string text = describe_difference(session.header_, header); !text.empty()) {
    return Error{fmt::format(
        "{}: this session was made for another spec: {}; restore the spec or begin a new session",
        path, text)};
  }
  return session;
}

Result<Session> Session::open(const std::string& path) {
  Result<store::Database> database = store::Database::open(path, kSessionFile);
  if (!database) return database.error();
  Session session(std::move(*database), Durability::kEachTrial);
  const Result<bool> found = session.read_header();
  if (!found) return found.error();
  if (!*found) return Error{path + ": this session is empty: its tuner ended before it began"};
  return session;
}

Result<void> Session::write_header(const SessionHeader& header) {
  if (Result<void> begun = database_.begin(); !begun) return begun;
  database_.statement("INSERT INTO session VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(header.burin, header.kernel, header.spec, text_digest(header.spec), header.source_digest,
           space_digest(header), header.objective, now_unix_ms());
  store::Statement parameter = database_.statement("INSERT INTO parameter VALUES (?, ?, ?)");
  for (std::size_t k = 0; k < header.parameters.size(); ++k) {
    parameter.run(k, header.parameters[k].name, write_json_list(header.parameters[k].values));
  }
  store::Statement restriction = database_.statement("INSERT INTO restriction VALUES (?, ?)");
  for (std::size_t k = 0; k < header.restrictions.size(); ++k) {
    restriction.run(k, header.restrictions[k]);
  }
  if (Result<void> done = database_.commit(); !done) return done;
  header_ = header;
  return {};
}

Result<std::int64_t> Session::open_run(const RunHeader& header) {
  const std::string size = write_flat_json(named_values(header.problem_size));
  if (Result<void> begun = begin(); !begun) return begun.error();
  database_
      .statement(
          "INSERT OR IGNORE INTO run(device, problem_size, strategy, seed, ahead,"
          " started_unix_ms) VALUES (?, ?, ?, ?, ?, ?)")
      .run(header.device, size, header.strategy, header.seed, header.ahead, now_unix_ms());
  if (Result<void> done = end(); !done) return done.error();
  store::Statement row = database_.statement(
      "SELECT id FROM run WHERE device = ? AND problem_size = ? AND strategy = ? AND seed = ?"
      " AND ahead = ?");
  row.start(header.device, size, header.strategy, header.seed, header.ahead);
  if (!row.next()) return row.ok() ? damaged_session(path(), "its runs") : row.error();
  return row.integer(0);
}

Result<void> Session::append(std::int64_t run, const Trial& trial) {
  if (!fits(trial.point, header_.parameters)) {
    return Error{path() + ": a trial has a point outside the session's parameters"};
  }
  if (!insert_) {
    insert_ = database_.statement(
        "INSERT INTO trial(run, point, config, status, reason, objective, time_us, times_us,"
        " cut_short, compile_seconds, measure_seconds, figures, device, host, unix_ms,"
        " disturbed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO "
        "NOTHING");
  }
  if (Result<void> begun = begin(); !begun) return begun;
  const std::vector<std::uint8_t> times = pack_times(trial.times_us);
  insert_->run(run, point_text(trial.point), config_text(trial.point, header_.parameters),
               name(trial.status), trial.reason,
               std::isfinite(trial.objective) ? std::optional(trial.objective) : std::nullopt,
               trial.time_us, Bytes(times), trial.cut_short, trial.compile_seconds,
               trial.measure_seconds, write_flat_json(named_values(trial.figures)), trial.device,
               trial.host, trial.unix_ms, trial.disturbed);
  const bool added = database_.ok() && database_.changes() == 1;
  ++batched_;
  if (Result<void> done = end(); !done) return done;
  if (added) return {};
  return Error{fmt::format("{}: the trial of {} is in the session already", path(),
                           config_text(trial.point, header_.parameters))};
}

Result<void> Session::record_winner(std::int64_t run, const Trial& winner,
                                    const std::optional<Final>& final) {
  if (Result<void> flushed = flush(); !flushed) return flushed;
  if (Result<void> begun = database_.begin(); !begun) return begun;
  database_.statement("DELETE FROM finalist WHERE run = ?").run(run);
  database_.statement("INSERT OR REPLACE INTO winner VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .run(run, point_text(winner.point), config_text(winner.point, header_.parameters),
           winner.objective, winner.time_us, final ? std::optional(final->winner) : std::nullopt,
           final ? std::optional(final->confidence) : std::nullopt, now_unix_ms());
  store::Statement row = database_.statement("INSERT INTO finalist VALUES (?, ?, ?, ?, ?)");
  for (std::size_t k = 0; final && k < final->finalists.size(); ++k) {
    const Finalist& finalist = final->finalists[k];
    const std::vector<std::uint8_t> times = pack_times(finalist.times_us);
    row.run(run, k, point_text(finalist.point), finalist.median_us, Bytes(times));
  }
  return database_.commit();
}

Result<void> Session::begin() {
  if (durability_ == Durability::kEachTrial || in_batch_) return {};
  if (Result<void> begun = database_.begin(); !begun) return begun;
  in_batch_ = true;
  batched_ = 0;
  batch_start_ = std::chrono::steady_clock::now();
  return {};
}

Result<void> Session::end() {
  if (!database_.ok()) return database_.error();
  if (!in_batch_) return {};
  if (batched_ < kBatchTrials && std::chrono::steady_clock::now() - batch_start_ < kBatchTime) {
    return {};
  }
  return flush();
}

Result<void> Session::flush() {
  if (!std::exchange(in_batch_, false)) return {};
  return database_.commit();
}

}  // namespace burin::tune
