// A program in the foreground: it has the terminal, and burin waits for it as a shell does.
//
//   Result<Ending> ending = run_in_foreground({"python3", "train.py"}, {{"BURIN_RECORD", "…"}});
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace burin {

struct Ending {
  int status = 0;  // what it returned
  int signal = 0;  // that ended it; 0: it ended by itself

  bool ok() const { return status == 0 && signal == 0; }
};

// "status 1", "signal 9 (Killed)".
std::string words(const Ending& ending);

// The first word is looked for in PATH. `environment` is added to burin's own. While it runs, the
// terminal's interrupts are the program's alone, and a request to end burin is handed on to it. An
// Error where it cannot be started.
Result<Ending> run_in_foreground(const std::vector<std::string>& command,
                                 const std::map<std::string, std::string>& environment);

}  // namespace burin
