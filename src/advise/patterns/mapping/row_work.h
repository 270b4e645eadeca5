// The work and time of a launch after lanes share the rows that single threads walked along
// (row_walk.h).
//
//   rework(c, shared_rows(c, walk)).time_us
#pragma once

#include "advise/case/rework.h"
#include "advise/patterns/mapping/row_walk.h"

namespace burin::advise {

// The work of the launch with the walk's lanes sharing each row, or with rows in registers.
Work shared_rows(const Case& c, const RowWalk& walk);
// The time of the changed launch if the rows belong to a block (rows_loop): the loop takes as long
// as its busiest unit or the latency of its loads, and the rest as long as before.
double time_with_shared_rows(const Case& c, const RowWalk& walk);
// The time of the walk where a loaded value ends it, as in a search for the first match: a lane
// loads its next element only after it has seen the last one. 0: its length is known before.
double serial_time_of_rows(const Case& c, const RowWalk& walk);

}  // namespace burin::advise
