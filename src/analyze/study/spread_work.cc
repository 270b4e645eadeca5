#include "analyze/study/spread_work.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace burin::analyze {

namespace {

using Kinds = std::vector<std::uint32_t>;

// The steps of a warp from one barrier to the next, including the latter.
struct Stretch {
  std::vector<timing::TraceStep> kept;
  std::vector<timing::TraceStep> moved;
  std::size_t place = 0;  // position in `kept` of the steps that were moved
};
using Stretches = std::vector<Stretch>;

bool is_barrier(const timing::BlockTrace& trace, const timing::TraceStep& step) {
  return step.request != timing::kNoRequest &&
         trace.requests[step.request].kind == timing::Request::Kind::kBarrier;
}

Stretches stretches_of(const timing::BlockTrace& trace, const std::vector<timing::TraceStep>& steps,
                       const read::InstructionSet& set) {
  Stretches all(1);
  for (const timing::TraceStep& step : steps) {
    Stretch& now = all.back();
    if (set[step.instruction] != 0) {
      if (now.moved.empty()) now.place = now.kept.size();
      now.moved.push_back(step);
      continue;
    }
    now.kept.push_back(step);
    if (is_barrier(trace, step)) all.emplace_back();
  }
  // A warp with nothing to move takes its part at the end, before the barrier or exit.
  for (Stretch& s : all) {
    if (s.moved.empty()) s.place = s.kept.empty() ? 0 : s.kept.size() - 1;
  }
  return all;
}

// For each instruction, the share of the block's lanes that are active.
std::vector<double> fullness(const timing::BlockTrace& trace) {
  std::vector<double> full;
  double most = 1;
  for (const timing::LaneUse& use : trace.lanes) {
    const double lanes =
        use.executions == 0 ? 0
                            : static_cast<double>(use.active) / static_cast<double>(use.executions);
    full.push_back(lanes);
    most = std::max(most, lanes);
  }
  for (double& f : full) f = f > 0 ? f / most : 1;
  return full;
}

// Steps in code order, usually one loop iteration: a step back in the code begins another run.
using Passage = std::vector<timing::TraceStep>;

std::vector<Passage> passages_of(const std::vector<timing::TraceStep>& pool) {
  std::vector<Passage> all;
  for (std::size_t k = 0; k < pool.size(); ++k) {
    if (k == 0 || pool[k].instruction <= pool[k - 1].instruction) all.emplace_back();
    all.back().push_back(pool[k]);
  }
  return all;
}

// The steps of a shared passage that the `part`-th of several warps executes. The copies of an
// unrolled loop are dealt out in turn, separately for each kind of instruction, so that the warp
// that loads a value also stores it. Steps that occur once, such as the loop counter, are executed
// by all warps.
std::vector<timing::TraceStep> part_of(const Passage& passage, std::size_t part, std::size_t parts,
                                       const Kinds& kinds) {
  std::map<std::uint32_t, std::size_t> all;
  for (const timing::TraceStep& step : passage) ++all[kinds[step.instruction]];
  std::map<std::uint32_t, std::size_t> seen;
  std::vector<timing::TraceStep> taken;
  for (const timing::TraceStep& step : passage) {
    const std::uint32_t kind = kinds[step.instruction];
    const std::size_t number = seen[kind]++;
    if (all[kind] == 1 || number * parts / all[kind] == part) taken.push_back(step);
  }
  return taken;
}

// The same steps as if the loop were not unrolled: the first of each kind, then the second of each,
// and so on, all with the code of the first. Steps that occur once stay before or after all others.
std::vector<timing::TraceStep> rolled(const std::vector<timing::TraceStep>& unrolled,
                                      const Kinds& kinds) {
  std::map<std::uint32_t, std::size_t> all;
  std::size_t rounds = 0;
  for (const timing::TraceStep& step : unrolled) {
    rounds = std::max(rounds, ++all[kinds[step.instruction]]);
  }
  std::map<std::uint32_t, std::size_t> seen;
  std::map<std::uint32_t, std::uint32_t> code;  // the first instruction of each kind
  std::vector<std::pair<std::size_t, timing::TraceStep>> placed;
  bool begun = false;
  for (timing::TraceStep step : unrolled) {
    const std::uint32_t kind = kinds[step.instruction];
    begun |= all[kind] > 1;
    const std::uint32_t own = step.instruction;
    step.instruction = code.emplace(kind, own).first->second & 0x7fffffffu;
    placed.emplace_back(all[kind] == 1 && begun ? rounds : seen[kind]++, step);
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, timing::TraceStep>::first);
  std::vector<timing::TraceStep> steps;
  for (const auto& [round, step] : placed) steps.push_back(step);
  return steps;
}

// Shares the work of all warps between two barriers: each warp gets consecutive iterations, or a
// part of one if there are fewer iterations than warps.
void share_out(std::vector<Stretches>& warps, std::size_t stretch, const Spread& how,
               const std::vector<double>& full, std::vector<double>& due) {
  std::vector<timing::TraceStep> pool;
  std::vector<Stretch*> takers;
  bool all_had_some = true;
  for (Stretches& warp : warps) {
    if (stretch >= warp.size()) continue;
    for (const timing::TraceStep& step : warp[stretch].moved) {
      double& owed = due[step.instruction];
      owed += full[step.instruction];
      if (owed < 1) continue;
      owed -= 1;
      pool.push_back(step);
    }
    all_had_some &= !warp[stretch].moved.empty();
    takers.push_back(&warp[stretch]);
  }
  const std::vector<Passage> passages = passages_of(pool);
  for (Stretch* taker : takers) taker->moved.clear();
  if (passages.empty()) return;
  const std::size_t n = takers.size();
  const std::size_t groups = std::min(n, passages.size());
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t group = k * groups / n;  // of warps that share the same passages
    const std::size_t first = (group * n + groups - 1) / groups;
    const std::size_t last = ((group + 1) * n + groups - 1) / groups;
    for (std::size_t p = passages.size() * group / groups;
         p < passages.size() * (group + 1) / groups; ++p) {
      std::vector<timing::TraceStep> part =
          part_of(passages[p], k - first, last - first, how.kinds);
      if (!how.unrolled && !all_had_some) part = rolled(part, how.kinds);
      std::ranges::copy(part, std::back_inserter(takers[k]->moved));
    }
  }
}

}  // namespace

void spread_work(timing::BlockTrace& trace, const Spread& how) {
  const read::InstructionSet& set = how.set;
  std::vector<Stretches> warps;
  std::size_t most = 0;
  for (const auto& steps : trace.warps) {
    warps.push_back(stretches_of(trace, steps, set));
    most = std::max(most, warps.back().size());
  }
  const std::vector<double> full = fullness(trace);
  std::vector<double> due(set.size());
  for (std::size_t s = 0; s < most; ++s) share_out(warps, s, how, full, due);
  trace.steps = 0;
  for (std::size_t w = 0; w < warps.size(); ++w) {
    std::vector<timing::TraceStep> steps;
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

}  // namespace burin::analyze
