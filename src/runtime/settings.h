// The environment variables of the launch library.
//
//   BURIN_LAUNCH          off: nothing is changed; log: choose and log, change nothing; on: change
//                         launches (default); refine: also time alternatives
//   BURIN_LAUNCH_PATH     .rp files and folders that hold them, separated by ':'
//   BURIN_LAUNCH_LOG      file that log lines are appended to; "-" or "stderr": standard error
//   BURIN_LAUNCH_WISDOM   file that keeps the winners of refinement between runs
//   BURIN_LAUNCH_GRAPHS   on: also change launches that are captured into a graph
#pragma once

#include <string>
#include <vector>

namespace burin::runtime {

struct Settings {
  enum class Mode { kOff, kLog, kOn, kRefine };

  Mode mode = Mode::kOn;
  std::vector<std::string> path{};
  std::string log{};     // "": none; "-": standard error
  std::string wisdom{};  // "": none
  bool graphs = false;
  std::string problem{};  // a value that has no meaning; the mode is then kOff
};

// `get` is getenv(), or a test's own.
Settings read_settings(const char* (*get)(const char* name));
Settings read_settings();

}  // namespace burin::runtime
