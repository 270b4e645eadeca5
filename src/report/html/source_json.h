// The source lines that a kernel's code comes from, with their text where the file is found:
//
//   "place":[0,0,1,…]             per instruction, as differences; -1: no line information
//   "places":{"file":[0,…],"line":[22,…],       line as differences
//             "chains":[[0,0,1],…],             a place in inlined code, and its calls
//             "calls":[[0,15,0],[0,22,1],…],    file, line, function
//             "functions":["tile_at","",…]}
//   "files":[{"path":"transpose.cu","lines":29,"parts":[{"first":1,"text":["…"]}]}]
//
// `line` is in the kernel's own source; a chain has the inlined calls, innermost first.
#pragma once

#include "read/program/kernel.h"
#include "read/program/source.h"
#include "report/write/json.h"

namespace burin::report {

void write_source_json(Json& json, const read::Kernel& kernel, read::SourceText& source);

}  // namespace burin::report
