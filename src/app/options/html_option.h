// `--html FILE` and `--trace FILE`: the same option with the same checks on every command that has
// a picture to show.
//
//   add_html_options(app, command->pictures);
//   if (Result<void> fine = check(command.pictures, inputs); !fine) return fine.error();   // first
//   …
//   write_html(command.pictures.html, title, [&](report::Json& json) { … one element per view … });
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/write/json.h"

namespace CLI {
class App;
}

namespace burin::app {

// Intervals of the warp timeline that a report or a trace holds: some thousand cycles of an SM.
inline constexpr std::size_t kTimelineIntervals = 16'000;

struct PictureOptions {
  std::string html{};   // "": none
  std::string trace{};  // "": none
  bool force = false;   // overwrite an existing file of any kind

  bool wanted() const { return !html.empty() || !trace.empty(); }
};

void add_html_option(CLI::App& app, PictureOptions& options);   // --html
void add_trace_option(CLI::App& app, PictureOptions& options);  // --trace

// Returns a usage Error where the files must not be written or this build has no reports.
Result<void> check(const PictureOptions& options, const std::vector<std::string>& inputs);

// Writes the report. `write_views` writes the elements of "views".
Result<void> write_html(const std::string& path, const std::string& title,
                        const std::function<void(report::Json&)>& write_views);
// The report of one document.
Result<void> write_html_of(const PictureOptions& options, const std::string& title,
                           const std::function<void(report::Json&)>& write_document);
// Writes a file of JSON.
Result<void> write_json_file(const std::string& option, const std::string& path,
                             const std::function<void(report::Json&)>& write);

}  // namespace burin::app
