// A tuning session: one SQLite file with what was tuned and every trial, written as the trials end.
//
//   Result<Session> session = Session::create("gemm.session", header_of(spec));
//   Result<std::int64_t> run = session->open_run({.device = "NVIDIA H200", .strategy =
//   "ensemble"}); session->append(*run, trial);       // on disk when it returns: kill -9 or a
//   power failure keep it
//
//   Result<Session> again = Session::resume("gemm.session", header_of(spec));
//   again->trials(*run)                 // TuneOptions::known of the run that continues it
//
//   Result<Session> others = Session::open("gemm.session");   // meanwhile, by another process
//
// A session holds several runs: one for each device, problem size, strategy and seed. A session has
// one writer at a time; store/database.h says how it is locked and read. docs/tune.md lists the
// tables.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"
#include "store/database.h"
#include "tune/finalists.h"
#include "tune/space/space.h"
#include "tune/trial.h"

namespace burin::tune {

struct Spec;

// What a session was made for. It can be resumed only with the same, apart from `burin`.
struct SessionHeader {
  std::string burin{};          // version that made it
  std::string kernel{};         // of the first launch
  std::string spec{};           // the spec's text, verbatim; "" if there is none
  std::string source_digest{};  // of the kernel's source, "" if there is none
  std::vector<Parameter> parameters{};
  std::vector<std::string> restrictions{};
  std::string objective = "time_us";  // "maximise 2*n/time_us"
  bool operator==(const SessionHeader&) const;
};

// What a spec determines: everything but `burin` and `source_digest`.
SessionHeader header_of(const Spec& spec);

// SHA-256 of the parameters, their values and the restrictions, in hexadecimal.
std::string space_digest(const SessionHeader& header);

// Says what differs: "tunable 'tile' had values 1, 2, 4 and now has values 1, 2". "" if nothing
// does.
std::string describe_difference(const SessionHeader& was, const SessionHeader& now);

struct RunHeader {
  std::string device{};  // "NVIDIA H200", "emulator:h200"
  formula::Names problem_size{};
  std::string strategy{};
  std::uint64_t seed = 0;
  std::size_t ahead = 1;
  bool operator==(const RunHeader&) const = default;
};

struct SessionRun {
  std::int64_t id = 0;
  RunHeader header{};
  std::size_t trials = 0;
  std::int64_t started_unix_ms = 0;
};

struct Winner {
  Point point{};
  double objective = 0;
  double time_us = 0;
  std::optional<Final> final{};  // none if nothing else was close
  std::int64_t unix_ms = 0;
};

// When append() has a trial on disk: before it returns, which takes an fsync (milliseconds), or
// within a second, for devices that answer faster than a disk. The end of the process loses up to
// the last second of a batched session; the rest is as safe.
enum class Durability : std::uint8_t { kEachTrial, kBatched };

class Session {
 public:
  // A new session. Returns an Error if the file exists, unless it is empty.
  static Result<Session> create(const std::string& path, const SessionHeader& header,
                                Durability durability = Durability::kEachTrial);

  // Continues a session. Returns an Error if the session was made for something else.
  static Result<Session> resume(const std::string& path, const SessionHeader& header,
                                Durability durability = Durability::kEachTrial);

  // For reading: the state at this moment, also of a session that is being written.
  static Result<Session> open(const std::string& path);

  // True if the file begins like a session. `begin` needs store::Database::kHeaderBytes.
  static bool is_session(Bytes begin);

  Session(Session&& other) noexcept;
  Session& operator=(Session&&) = delete;
  ~Session();  // flushes

  const SessionHeader& header() const { return header_; }
  const std::string& path() const { return database_.path(); }

  Result<std::vector<SessionRun>> runs() const;
  Result<std::vector<Trial>> trials(std::int64_t run) const;  // in the order in which they ended
  Result<std::optional<Winner>> winner(std::int64_t run) const;

  // The run with exactly this header, or a new one.
  Result<std::int64_t> open_run(const RunHeader& header);

  // Returns an Error if the run has a trial of this point already: nothing is recorded twice.
  Result<void> append(std::int64_t run, const Trial& trial);

  // Replaces the winner that an earlier part of the run recorded.
  Result<void> record_winner(std::int64_t run, const Trial& winner,
                             const std::optional<Final>& final);

  // Writes what append() has not yet written. Only kBatched needs it.
  Result<void> flush();

 private:
  Session(store::Database database, Durability durability);
  static Result<Session> write(const std::string& path, const SessionHeader& header,
                               Durability durability, bool resumed);
  Result<void> write_header(const SessionHeader& header);
  Result<bool> read_header();  // false if there is none yet
  Result<void> begin();        // unless a batch has begun
  Result<void> end();          // commits, unless a batch goes on

  store::Database database_;
  Durability durability_;
  SessionHeader header_;
  bool in_batch_ = false;
  std::size_t batched_ = 0;  // trials since the batch began
  std::chrono::steady_clock::time_point batch_start_{};
  std::optional<store::Statement> insert_;  // the one statement that runs often
};

}  // namespace burin::tune
