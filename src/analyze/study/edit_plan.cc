#include "analyze/study/edit_plan.h"

#include <algorithm>
#include <cassert>
#include <string_view>

namespace burin::analyze {

namespace {

std::optional<machine::TimingClass> find_class(std::string_view word) {
  for (std::size_t c = 0; c < machine::kTimingClasses; ++c) {
    if (machine::name(static_cast<machine::TimingClass>(c)) == word)
      return static_cast<machine::TimingClass>(c);
  }
  return std::nullopt;
}

void add(const Edit& edit, timing::OpEdit& op, RequestEdit& request) {
  using enum Edit::Kind;
  switch (edit.kind) {
    case kIdealSectors:
      request.ideal_sectors = true;
      break;
    case kNoConflicts:
      request.no_conflicts = true;
      break;
    case kPadded:
      request.padded = true;
      break;
    case kHidden:
      op.hidden = true;
      break;
    case kEarlier:
      op.earlier = std::max(op.earlier, edit.value);
      break;
    case kSkipped:
      op.share = 0;
      break;
    case kShare:
      op.share = std::min(op.share, std::clamp(edit.value, 0.0, 1.0));
      break;
    case kRetyped:
      op.timed_as = find_class(edit.to_class);
      assert(op.timed_as);
      op.times = std::max(1.0, edit.value);
      break;
    case kNoBarrierWait:
      op.unguarded = true;
      break;
    case kFetched:
      op.fetched = true;
      break;
    case kL2Hit:
      op.l2_hit = true;
      break;
    case kStaged:
      request.staged = true;
      break;
    case kCombined:
      request.combined = true;
      break;
    case kPrivate:
      request.final_additions = std::clamp(edit.value, 0.0, 1.0);
      break;
    case kSpread:
      request.spread = true;
      break;
    case kFewerBlocks:
      break;  // of the launch, not of an instruction
  }
}

bool moves_lines(const Edit& edit) {
  using enum Edit::Kind;
  return edit.kind == kIdealSectors || edit.kind == kL2Hit || edit.kind == kStaged ||
         edit.kind == kPrivate || edit.kind == kSpread;
}

}  // namespace

EditPlan plan_edits(std::span<const Edit> edits, const timing::TracedLaunch& traced) {
  const std::size_t instructions = traced.kernel->instructions.size();
  EditPlan plan;
  plan.ops.resize(instructions);
  std::vector<RequestEdit> requests(instructions);
  for (const Edit& edit : edits) {
    if (edit.kind == Edit::Kind::kFewerBlocks) {
      plan.starts = std::min(plan.starts, edit.value);
      continue;
    }
    assert(edit.instructions.size() == instructions);
    for (std::size_t i = 0; i < instructions; ++i) {
      if (edit.instructions[i] != 0) add(edit, plan.ops[i], requests[i]);
    }
    if (moves_lines(edit)) plan.same_lines = false;
  }
  if (std::ranges::any_of(requests, &RequestEdit::any)) {
    plan.traced = edited_trace(traced, requests);
  }
  return plan;
}

}  // namespace burin::analyze
