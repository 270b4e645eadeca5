// Runs a program in the foreground: it owns the terminal, and burin waits for it as a shell does.
//
//   Result<Ending> ending = run_in_foreground({"python3", "train.py"}, {{"BURIN_RECORD", "…"}});
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace burin {

struct Ending {
  int status = 0;  // exit status
  int signal = 0;  // the signal that terminated it; 0: none

  bool ok() const { return status == 0 && signal == 0; }
};

// Describes the ending: "status 1", "signal 9 (Killed)".
std::string words(const Ending& ending);

// Runs `command` and waits for it. The first word is searched in PATH. `environment` is added to
// burin's own environment. While the program runs, terminal interrupts affect only the program, and
// a termination request to burin is forwarded to it. Returns an Error if it cannot be started.
Result<Ending> run_in_foreground(const std::vector<std::string>& command,
                                 const std::map<std::string, std::string>& environment);

}  // namespace burin
