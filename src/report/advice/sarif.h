// Advice in SARIF 2.1.0, the format that code hosts use to show findings on the lines of a change.
//
//   Sarif sarif(out, root);
//   sarif.begin(rules, version);
//   sarif.add(report);       // once for each report
//   sarif.end();
//
// A result is an error from a speedup of 1.5×, a warning from 1.1×, and a note below that. Paths
// are relative to `root`, as code hosts expect. A file that was compiled elsewhere is searched for
// under `root` by the end of its path.
#pragma once

#include <span>
#include <string>

#include "report/advice/advise.h"
#include "report/write/json.h"

namespace burin::report {

class Sarif {
 public:
  Sarif(Output& out, std::string root) : json_(out), root_(std::move(root)) {}

  void begin(std::span<const advise::Rule* const> rules, std::string_view version);
  void add(const AdviseReport& report);
  void end();

 private:
  void add(const AdviseReport& report, const advise::Finding& finding);

  Json json_;
  std::string root_;
};

// Returns "error", "warning" or "note".
std::string_view sarif_level(double speedup);

// Returns `path` relative to `root`: the path itself if it is under `root`, else its longest
// suffix that exists there, else the file name alone.
std::string path_below(const std::string& root, const std::string& path);

}  // namespace burin::report
