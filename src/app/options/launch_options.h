// The options of every command that launches a kernel. docs/arguments.md is their user
// documentation.
//
//   auto request = std::make_shared<LaunchRequest>();
//   add_launch_options(app, *request);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "jobs/input/launch_request.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace burin::app {

void add_launch_options(CLI::App& app, jobs::LaunchRequest& options);

// Number of hottest lines in a report without --lines.
inline constexpr std::size_t kLinesUnasked = 10;

// Adds an option that may be given several times, with one value each.
CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                          const std::string& type, const std::string& description);

}  // namespace burin::app
