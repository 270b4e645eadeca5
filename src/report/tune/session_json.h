// A tuning session as it stands, read while it may still be written: {"schema":"burin.tune/1",…},
// with what a session knows. docs/tune.md describes every field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/write/json.h"
#include "tune/session/session.h"

namespace burin::report {

struct ReadSession {
  tune::SessionHeader header;
  std::string path;
  struct Run {
    tune::SessionRun run;
    std::vector<tune::Trial> trials;
    std::optional<tune::Winner> winner;
  };
  std::vector<Run> runs;
};
Result<ReadSession> read_session(const tune::Session& session);

void write_session_json(Json& json, const ReadSession& session);

}  // namespace burin::report
