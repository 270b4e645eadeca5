// Options that name a file to write. Before a command runs, all of them are checked together: none
// may be an input of the command, no two may be one file. So that a new option is checked too:
//
//   app.add_option("--html", options.html, "…")->type_name("FILE")->check(output_file());
//   add_repeated(app, "--out", …, "I=FILE", "…")->check(keyed_output_file());
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

#include "base/result.h"

namespace burin::app {

CLI::Validator output_file();
CLI::Validator keyed_output_file();    // KEY=FILE; without '=' the whole is the file
CLI::Validator output_file_or_dash();  // "-" is standard output

inline constexpr std::string_view kStandardOutput = "-";

// Any other word of the command line may be an input, or part of it: CAPTURE:LAUNCH, file:PATH.
// Values of options whose type is NAME are not: a kernel may be called as the file is.
Result<void> check_output_options(CLI::App& app);

}  // namespace burin::app
