// What a launch does, and how long that takes, once lanes share the rows that threads walk along
// alone (row_walk.h).
//
//   rework(c, shared_rows(c, walk)).time_us
#pragma once

#include "advise/case/rework.h"
#include "advise/patterns/mapping/row_walk.h"

namespace burin::advise {

// The work of the launch with the walk's lanes sharing each row, or with rows in registers.
Work shared_rows(const Case& c, const RowWalk& walk);
// The time of the launch with that, where its rows are those of a block (rows_loop): the loop takes
// as long as its units or its loads' latency need, and the rest as long as before.
double time_with_shared_rows(const Case& c, const RowWalk& walk);

}  // namespace burin::advise
