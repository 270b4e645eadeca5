// The options of every command that launches a kernel. docs/arguments.md explains them to users.
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
}

namespace burin::app {

void add_launch_options(CLI::App& app, jobs::LaunchRequest& options);

// The check of an option that counts something: CLI11 would take -1 for a large number.
std::string not_negative(const std::string& text);

// How many of the hottest lines a report shows where --lines does not ask for all.
inline constexpr std::size_t kLinesUnasked = 10;

// An option that may be given several times, one value each.
void add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                  const std::string& type, const std::string& description);

}  // namespace burin::app
