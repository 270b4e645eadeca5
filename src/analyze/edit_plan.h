// What a replay is told for a set of edits.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analyze/edit.h"
#include "analyze/edited_trace.h"
#include "timing/code/op_edit.h"
#include "timing/trace/traced_launch.h"

namespace burin::analyze {

struct EditPlan {
  std::vector<timing::OpEdit> ops;               // of each instruction
  std::unique_ptr<timing::TracedLaunch> traced;  // null: as it is
  bool same_lines = true;                        // what is found in the L2 cache stays the same
  double starts = 1;                             // of the time that blocks and warps take to start
};
EditPlan plan_edits(std::span<const Edit> edits, const timing::TracedLaunch& traced);

}  // namespace burin::analyze
