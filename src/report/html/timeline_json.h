// What the warps of an SM do in a window of cycles, for the HTML report and for Perfetto.
//
//   {"schema":"burin.timeline/2","from":4120,"until":6010,"warps_per_block":8,
//    "warp":[…],"scheduler":[…],            one element for each warp, in the order of their start
//    "intervals":{"warp":[…],"from":[…],"cycles":[…],"step":[…],"reason":[…],"distance":[…]}}
//
// `warp` of an interval is an index into the column "warp"; `from` is written as differences;
// `step` is the difference of the instruction to that of the warp's interval before; `reason` an
// index into the reasons of burin.code/2, or -1 where the warp issues. `distance` has an element
// for each stall only: how many instructions before it its cause is, null without one.
#pragma once

#include "read/program/kernel.h"
#include "report/write/json.h"
#include "timing/result/timeline.h"

namespace burin::report {

void write_timeline_json(Json& json, const timing::Timeline& timeline);

// The same as trace events, which chrome://tracing and ui.perfetto.dev read: a process for each
// scheduler, a thread for each warp, one microsecond for each cycle.
void write_timeline_trace(Json& json, const read::Kernel& kernel, const timing::Timeline& timeline);

}  // namespace burin::report
