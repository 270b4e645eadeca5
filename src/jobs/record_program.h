// `burin record`: runs a CUDA program with the recorder inside, and makes the capture.
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
  std::string assemble{};  // a spool folder that an earlier run left
  bool no_samples = false, no_stacks = false, force = false, keep_spool = false;
  bool counters = false;  // the program is run a second time
  std::vector<std::string> memory{};
  double seconds = 0;
  gpu::RecordSettings settings{};
};

struct RecordedProgram {
  std::string file;     // the capture
  std::string command;  // as the user would write it
  capture::Assembled assembled;
  Ending ending{};
  double wall_seconds = 0;            // of the program, recorded
  std::vector<std::string> warnings;  // sentences
};

// The program has the terminal while it runs. An Error where nothing was recorded.
Result<RecordedProgram> record_program(RecordRequest request, const Progress& progress);

}  // namespace burin::jobs
