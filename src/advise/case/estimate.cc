#include "advise/case/estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "analyze/what_if.h"

namespace burin::advise {

namespace {

double remaining(double total, double gone) {
  if (total <= 0) return 1;
  return std::min(kMaxEquation, total / std::max(total - gone, total / kMaxEquation));
}

bool has_many_warps(const Case& c) {
  constexpr double kManyWarps = 8;  // per scheduler: half of its capacity
  return warps_per_scheduler(c) >= kManyWarps;
}

// The scopes of a kernel as a tree: loops, then functions, then the kernel.
class ScopeTree {
 public:
  explicit ScopeTree(const Case& c)
      : loops_(c.kernel.loops.size()),
        functions_(c.places.functions()),
        active_(loops_ + functions_ + 1),
        matched_(active_.size()),
        parents_(active_.size(), root()) {
    for (std::size_t l = 0; l < loops_; ++l) {
      const read::Loop& loop = c.kernel.loops[l];
      const std::uint32_t first = c.kernel.blocks[loop.header].first;
      parents_[l] =
          loop.parent != read::kNoIndex ? loop.parent : loops_ + c.places.function_of(first);
    }
    for (std::uint32_t i = 0; i < c.size(); ++i) add_active(c, i, c.blamed.issued[i]);
    for (const BlamedStall& stall : c.blamed.stalls)
      add_active(c, stall.waits, stall.cycles.active);
  }

  void match(Scope kind, std::uint32_t scope, double latency) {
    std::size_t node = root();
    if (kind == Scope::kLoop && scope < loops_) node = scope;
    if (kind == Scope::kFunction && scope < functions_) node = loops_ + scope;
    matched_[node] += latency;
  }

  // A scope can hide at most as many cycles as it and its inner scopes issue. Outer loops come
  // before inner ones, so in reverse order a scope is complete before its parent is reached.
  double hidden() const {
    std::vector<double> found = matched_;
    const auto fold = [&](std::size_t first, std::size_t last) {
      for (std::size_t n = last; n-- > first;) {
        found[parents_[n]] += std::min(found[n], active_[n]);
      }
    };
    fold(0, loops_);
    fold(loops_, root());
    return std::min(found[root()], active_[root()]);
  }

 private:
  std::size_t root() const { return loops_ + functions_; }
  void add_active(const Case& c, std::uint32_t instruction, double cycles) {
    if (cycles <= 0) return;
    const std::uint32_t loop = c.places.loop_of(instruction);
    std::size_t node = loop != read::kNoIndex ? loop : loops_ + c.places.function_of(instruction);
    for (; node != root(); node = parents_[node]) active_[node] += cycles;
    active_[root()] += cycles;
  }

  std::size_t loops_;
  std::size_t functions_;
  std::vector<double> active_;
  std::vector<double> matched_;
  std::vector<std::size_t> parents_;
};

}  // namespace

double eliminate(double total, double matched) {
  return remaining(total, matched);
}

double hide(double total, double active, double matched) {
  return remaining(total, std::min(active, matched));
}

double parallel(double warps, double new_warps, double issue_share, double factor) {
  if (warps <= 0 || new_warps <= 0 || issue_share <= 0) return 1;
  const auto issuing = [&](double w) { return 1 - std::pow(1 - std::min(issue_share, 1.0), w); };
  return std::min(kMaxEquation, warps / new_warps * issuing(new_warps) / issuing(warps) * factor);
}

double matched(const BlamedProfile& blamed, const Match& match) {
  double sum = 0;
  for (const MatchedStall& m : match.stalls) sum += blamed.stalls[m.stall].cycles.sum() * m.weight;
  return sum;
}

// Instructions that are executed less often also save their issue slots and their own stalls, and
// the stalls of instructions that wait for them.
double gone(const Case& c, const Match& match) {
  std::vector<double> left(c.size(), 1);
  for (const analyze::Edit& edit : match.edits) {
    if (edit.kind != analyze::Edit::Kind::kSkipped && edit.kind != analyze::Edit::Kind::kShare)
      continue;
    const double share = edit.kind == analyze::Edit::Kind::kShare ? edit.value : 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (edit.instructions[i] != 0) left[i] = std::min(left[i], share);
    }
  }
  std::vector<double> weights(c.blamed.stalls.size());
  for (const MatchedStall& m : match.stalls) weights[m.stall] += m.weight * match.factor;
  double sum = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const BlamedStall& stall = c.blamed.stalls[s];
    const double own = stall.has_cause() ? left[stall.cause] : left[stall.waits];
    sum += stall.cycles.sum() * std::max(weights[s], 1 - own);
  }
  for (std::size_t i = 0; i < left.size(); ++i) sum += c.blamed.issued[i] * (1 - left[i]);
  return sum;
}

double least_gain_of_earlier_loads(const Case& c) {
  constexpr double kClearGain = 1.1;
  return c.study != nullptr && has_many_warps(c) ? kClearGain : 0;
}

double toll_of_earlier_loads(const Case& c) {
  return has_many_warps(c) ? kDefaultToll : 0;
}

double warps_per_scheduler(const Case& c) {
  const double sms = c.machine.sm.count;
  const double of_grid = std::ceil(static_cast<double>(c.grid.total()) / sms);
  const double blocks = std::min(of_grid, static_cast<double>(c.occupancy.blocks));
  const double warps = std::ceil(static_cast<double>(c.block.total()) / 32);
  return blocks * warps / c.machine.sm.schedulers;
}

double estimate(const Case& c, const Match& match) {
  const BlamedProfile& blamed = c.blamed;
  switch (match.estimator) {
    case Estimator::kEliminate:
      return eliminate(blamed.total, gone(c, match));
    case Estimator::kHide: {
      ScopeTree tree(c);
      for (const MatchedStall& m : match.stalls) {
        const double latency = blamed.stalls[m.stall].cycles.latency;
        tree.match(match.scope, m.scope, latency * m.weight * match.factor);
      }
      return remaining(blamed.total, tree.hidden());
    }
    case Estimator::kParallel: {
      const double issued = std::accumulate(blamed.issued.begin(), blamed.issued.end(), 0.0);
      const double share = blamed.total > 0 ? issued / blamed.total : 0;
      return parallel(warps_per_scheduler(c), match.warps, share, match.factor);
    }
    case Estimator::kGiven:
      return match.speedup;
  }
  return 1;
}

std::optional<timing::Prediction> predict_match(const Case& c, const Match& match) {
  if (c.study == nullptr) return std::nullopt;
  const auto value = [](Result<timing::Prediction> p) -> std::optional<timing::Prediction> {
    if (!p || p->time_us <= 0) return std::nullopt;
    return std::move(*p);
  };
  if (match.launch) {
    if (!launch::check_launch(*match.launch, *c.kernel.function)) return std::nullopt;
    return value(timing::predict(c.study->kernel(), *match.launch, c.machine, c.study->options()));
  }
  const Result<analyze::WhatIf> what_if = analyze::parse_what_if(match.what_if, c.machine);
  return what_if ? value(analyze::predict_what_if(*c.study, *what_if)) : std::nullopt;
}

std::optional<double> reshaped(const Case& c, const Match& match) {
  const std::optional<timing::Prediction> p = predict_match(c, match);
  if (!p) return std::nullopt;
  return c.study->base().time_us / p->time_us;
}

}  // namespace burin::advise
