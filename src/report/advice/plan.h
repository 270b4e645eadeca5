// What `burin advise --plan` shows, as text and as JSON.
//
//   Headroom: 310 µs now, at least 115 µs for the work (DRAM: 512 MiB). The code adds: shared 265
//   µs. plan  1  tried      129 µs   2.39×  shared array tile at transpose.cu:10, rows one element
//   longer
//         2  estimated  121 µs   1.06×  code-reordering at transpose.cu:15: Move the load …
//         then limited by DRAM (93 % busy), 1.05× above the lower bound of the work
#pragma once

#include "jobs/advise_launch.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

void write_headroom(Output& out, const jobs::Plan& plan);
void write_plan(Output& out, const jobs::Plan& plan);

// "plan": {…}; docs/advise.md describes the fields.
void write_plan_json(Json& json, const jobs::Plan& plan);

}  // namespace burin::report
