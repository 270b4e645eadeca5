#include "analyze/spread_work.h"

#include <algorithm>

namespace burin {

namespace {

// What a warp does from one barrier to the next, that one included.
struct Stretch {
  std::vector<TraceStep> kept;
  std::vector<TraceStep> moved;
  std::size_t place = 0;  // in kept, where those stood
};
using Stretches = std::vector<Stretch>;

bool is_barrier(const BlockTrace& trace, const TraceStep& step) {
  return step.request != kNoRequest && trace.requests[step.request].kind == Request::Kind::kBarrier;
}

Stretches stretches_of(const BlockTrace& trace, const std::vector<TraceStep>& steps,
                       const InstructionSet& set) {
  Stretches all(1);
  for (const TraceStep& step : steps) {
    Stretch& now = all.back();
    if (set[step.instruction] != 0) {
      if (now.moved.empty()) now.place = now.kept.size();
      now.moved.push_back(step);
      continue;
    }
    now.kept.push_back(step);
    if (is_barrier(trace, step)) all.emplace_back();
  }
  // Who has nothing to move takes its part at the end, before the barrier or the exit.
  for (Stretch& s : all) {
    if (s.moved.empty()) s.place = s.kept.empty() ? 0 : s.kept.size() - 1;
  }
  return all;
}

// Of the lanes that the block's warps have, the share that is at work at each instruction.
std::vector<double> fullness(const BlockTrace& trace) {
  std::vector<double> full;
  double most = 1;
  for (const LaneUse& use : trace.lanes) {
    const double lanes =
        use.executions == 0 ? 0
                            : static_cast<double>(use.active) / static_cast<double>(use.executions);
    full.push_back(lanes);
    most = std::max(most, lanes);
  }
  for (double& f : full) f = f > 0 ? f / most : 1;
  return full;
}

// One stretch's work of all warps, shared out: a warp gets steps that stood side by side.
void share_out(std::vector<Stretches>& warps, std::size_t stretch, const std::vector<double>& full,
               std::vector<double>& due) {
  std::vector<TraceStep> pool;
  std::vector<Stretch*> takers;
  for (Stretches& warp : warps) {
    if (stretch >= warp.size()) continue;
    for (const TraceStep& step : warp[stretch].moved) {
      double& owed = due[step.instruction];
      owed += full[step.instruction];
      if (owed < 1) continue;
      owed -= 1;
      pool.push_back(step);
    }
    takers.push_back(&warp[stretch]);
  }
  for (std::size_t k = 0; k < takers.size(); ++k) {
    const auto at = [&](std::size_t part) {
      return pool.begin() + static_cast<std::ptrdiff_t>(pool.size() * part / takers.size());
    };
    takers[k]->moved.assign(at(k), at(k + 1));
  }
}

}  // namespace

void spread_work(BlockTrace& trace, const InstructionSet& set) {
  std::vector<Stretches> warps;
  std::size_t most = 0;
  for (const auto& steps : trace.warps) {
    warps.push_back(stretches_of(trace, steps, set));
    most = std::max(most, warps.back().size());
  }
  const std::vector<double> full = fullness(trace);
  std::vector<double> due(set.size());
  for (std::size_t s = 0; s < most; ++s) share_out(warps, s, full, due);
  trace.steps = 0;
  for (std::size_t w = 0; w < warps.size(); ++w) {
    std::vector<TraceStep> steps;
    for (const Stretch& s : warps[w]) {
      const auto place = s.kept.begin() + static_cast<std::ptrdiff_t>(s.place);
      steps.insert(steps.end(), s.kept.begin(), place);
      steps.insert(steps.end(), s.moved.begin(), s.moved.end());
      steps.insert(steps.end(), place, s.kept.end());
    }
    trace.steps += steps.size();
    trace.warps[w] = std::move(steps);
  }
}

}  // namespace burin
