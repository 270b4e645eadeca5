#include "tune/session/schema.h"

#include <array>

namespace burin::tune {
namespace {

// Configurations, problem sizes and figures are JSON objects; points are the indices of the values,
// "3,0,12", so that UNIQUE (run, point) makes it impossible to record a trial twice. Samples are
// little-endian doubles. NULL stands for an objective that is infinite.
constexpr std::array kSessionSteps = {
    R"sql(
CREATE TABLE session(
  id INTEGER PRIMARY KEY CHECK (id = 1), burin TEXT NOT NULL, kernel TEXT NOT NULL,
  spec TEXT NOT NULL, spec_digest TEXT NOT NULL, source_digest TEXT NOT NULL,
  space_digest TEXT NOT NULL, objective TEXT NOT NULL, started_unix_ms INTEGER NOT NULL);
CREATE TABLE parameter(
  position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, possible TEXT NOT NULL);
CREATE TABLE restriction(position INTEGER PRIMARY KEY, expression TEXT NOT NULL);
CREATE TABLE run(
  id INTEGER PRIMARY KEY, device TEXT NOT NULL, problem_size TEXT NOT NULL,
  strategy TEXT NOT NULL, seed INTEGER NOT NULL, ahead INTEGER NOT NULL,
  started_unix_ms INTEGER NOT NULL, UNIQUE (device, problem_size, strategy, seed, ahead));
CREATE TABLE trial(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id), point TEXT NOT NULL,
  config TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, objective REAL,
  time_us REAL NOT NULL, times_us BLOB NOT NULL, cut_short INTEGER NOT NULL,
  compile_seconds REAL NOT NULL, measure_seconds REAL NOT NULL, figures TEXT NOT NULL,
  device TEXT NOT NULL, host TEXT NOT NULL, unix_ms INTEGER NOT NULL, UNIQUE (run, point));
CREATE TABLE finalist(
  run INTEGER NOT NULL REFERENCES run(id), position INTEGER NOT NULL, point TEXT NOT NULL,
  median_us REAL NOT NULL, times_us BLOB NOT NULL, PRIMARY KEY (run, position));
CREATE TABLE winner(
  run INTEGER PRIMARY KEY REFERENCES run(id), point TEXT NOT NULL, config TEXT NOT NULL,
  objective REAL NOT NULL, time_us REAL NOT NULL, finalist INTEGER, confidence REAL,
  unix_ms INTEGER NOT NULL)
)sql",
    "ALTER TABLE trial ADD COLUMN disturbed INTEGER NOT NULL DEFAULT 0"};

}  // namespace

const store::FileKind kSessionFile{.noun = "session", .mark = 0x6275'7273, .steps = kSessionSteps};

}  // namespace burin::tune
