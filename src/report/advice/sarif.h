// Advice in SARIF 2.1.0, the format in which code hosts take findings and show them on the lines of
// a change.
//
//   Sarif sarif(out);
//   sarif.begin(rules);
//   sarif.add(report);       // as many as there are
//   sarif.end();
//
// A result is an error from 1.5× on, a warning from 1.1×, a note below. Paths are relative to
// `root`, as code hosts want them: a file that was compiled elsewhere is looked for below it by the
// end of its path.
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

// "error", "warning" or "note".
std::string_view sarif_level(double speedup);

// `path` as it stands below `root`: itself where it is there, else the longest end of it that is;
// its last part alone where none is.
std::string path_below(const std::string& root, const std::string& path);

}  // namespace burin::report
