// The source lines that a kernel's code comes from, with their text where the file is found:
//
//   "place":[0,0,1,…]                        per instruction; -1: no line information
//   "places":[{"file":0,"line":22,"chain":[[0,15,"tile_at"],[0,22,""]]},…]
//   "files":[{"path":"transpose.cu","lines":29,"parts":[{"first":1,"text":["…"]}]}]
//
// `line` is in the kernel's own source; `chain` has the inlined calls, innermost first.
#pragma once

#include "read/program/kernel.h"
#include "read/program/source.h"
#include "report/write/json.h"

namespace burin::report {

void write_source_json(Json& json, const read::Kernel& kernel, read::SourceText& source);

// The number with six significant digits: nothing in a picture depends on more, and it is shorter.
double rounded(double value);

}  // namespace burin::report
