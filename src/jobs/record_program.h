// `burin record`: runs a CUDA program with the recorder loaded, and writes the capture.
//
//   Result<RecordedProgram> recorded = record_program({.command = {"./app"}}, progress);
//   recorded->file                      "app.burin"
#pragma once

#include <string>
#include <vector>

#include "base/foreground.h"
#include "base/result.h"
#include "capture/assemble/assemble.h"
#include "gpu/record/settings.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

struct RecordRequest {
  std::vector<std::string> command{};
  std::string out{};
  std::string assemble{};  // spool folder left by an earlier run
  bool no_samples = false, no_stacks = false, force = false, keep_spool = false;
  bool counters = false;  // runs the program a second time
  std::vector<std::string> memory{};
  double seconds = 0;
  gpu::RecordSettings settings{};
};

struct RecordedProgram {
  std::string file;     // the capture
  std::string command;  // as the user would type it
  capture::Assembled assembled;
  Ending ending{};
  double wall_seconds = 0;            // run time of the program under the recorder
  std::vector<std::string> warnings;  // sentences
};

// Runs and records the program, which has the terminal while it runs. Returns an Error if nothing
// was recorded.
Result<RecordedProgram> record_program(RecordRequest request, const Progress& progress);

}  // namespace burin::jobs
