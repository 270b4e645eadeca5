// What `burin` without a command prints: three commands that are likely to come next, from what
// lies in the working directory.
//
//   burin analyses CUDA kernels with or without a GPU. In this folder:
//
//     burin inspect app.burin                      launches, times and kernels of the capture
//     burin advise app.burin --html app.html       what to change, as a report for the browser
//     burin serve .                                captures, sessions and reports as local pages
//
//   burin --help lists all commands.
#pragma once

#include <string>
#include <vector>

#include "report/write/output.h"

namespace burin::app {

struct Suggestion {
  std::string command;
  std::string reason;
};

// Exactly three.
std::vector<Suggestion> suggestions(const std::string& folder);

void write_what_next(report::Output& out, const std::string& folder);

}  // namespace burin::app
