// The causes of a launch's stalls, by line and by loop, as text and as JSON.
//
//   transpose_scaled on h200: 79.2 µs measured; 120,422 samples
//   …
//   stalls by line
//     share  unpruned  stall            dependency     stalled                    blamed
//    12.1 %     4.0 %  short_scoreboard  shared memory  a.cu:32 STG.E at 0x08c0   a.cu:30 LDS at …
#pragma once

#include "report/advice/advise.h"

namespace burin::report {

// `report.top` is the number of rows of each table; empty: 10 in text, all in JSON.
void write_causes(Output& out, const AdviseReport& report);

// {"schema":"burin.causes/1",…}; docs/advise.md describes every field.
void write_causes_json(Json& json, const AdviseReport& report);

}  // namespace burin::report
