// One self-contained HTML file: the JSON of a command, and the program that shows it (web/), which
// the build puts into the binary. The file needs no network and no other file.
//
//   std::string data;                     {"schema":"burin.report/1","views":[[…],…]}
//   write_page(out, "transpose on h200", data);
//
// The data is a list of views, and each view a list of documents with the schemas of --json:
//
//   {"schema":"burin.report/1","burin":"0.1.0","views":[[{"schema":"burin.predict/1",…},
//                                                         {"schema":"burin.code/2",…}]]}
//
// Whatever the data contains (kernel names, source lines, paths), none of it becomes HTML: '<' is
// written as an escape of JSON, and the page shows text as text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/write/output.h"

namespace burin::report {

// An Error if this build has no reports: it was made without Node.js.
Result<void> check_pages();

struct PageOptions {
  bool is_served = false;  // by burin serve: the page may ask its server whether it has changed
};

// `data` is the JSON of a burin.report/1.
void write_page(Output& out, std::string_view title, std::string_view data,
                PageOptions options = {});

// The script and the style sheet; empty if the build left them out. embed_web.py defines them.
struct WebBundle {
  std::string_view script;
  std::string_view style;
};
WebBundle web_bundle();

}  // namespace burin::report
