// The replay inputs for a set of edits.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analyze/study/edit.h"
#include "analyze/study/edited_trace.h"
#include "timing/code/op_edit.h"
#include "timing/trace/traced_launch.h"

namespace burin::analyze {

struct EditPlan {
  std::vector<timing::OpEdit> ops;               // one for each instruction
  std::unique_ptr<timing::TracedLaunch> traced;  // null: the original trace
  bool same_lines = true;                        // L2 hits and misses stay the same
  double starts = 1;  // fraction of the block and warp start-up time that remains
};
EditPlan plan_edits(std::span<const Edit> edits, const timing::TracedLaunch& traced);

}  // namespace burin::analyze
