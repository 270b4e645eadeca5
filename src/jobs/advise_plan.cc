#include "jobs/advise_plan.h"

#include <algorithm>

#include "advise/case/place.h"

namespace burin::jobs {
namespace {

constexpr double kMinPlannedGain = 1.03;
constexpr std::size_t kMaxEstimated = 4;  // steps that are not tried
constexpr double kBusy = 0.5;             // of the time: less is no bottleneck

bool listed_in(const std::vector<std::string>& ids, const std::string& id) {
  return std::ranges::find(ids, id) != ids.end();
}

// Emulates the findings of one launch on top of one another.
class Sequence {
 public:
  Sequence(const AdvisedLaunch& advised, const analyze::WorkBound& work,
           const std::vector<std::string>& without)
      : advised_(advised), time_us_(advised.study->base().time_us), least_us_(work.time_us) {
    for (const advise::Finding& finding : advised.advice.findings) {
      if (!finding.edits.empty() && !listed_in(without, finding.rule)) left_.push_back(&finding);
    }
  }

  // The finding that gains most on top of the others; false: none gains.
  bool step(std::vector<PlanStep>& steps) {
    std::vector<std::vector<analyze::Edit>> sets;
    for (const advise::Finding* finding : left_) {
      sets.push_back(edits_);
      sets.back().insert(sets.back().end(), finding->edits.begin(), finding->edits.end());
    }
    const std::vector<double> faster = advised_.study->edited(sets);
    std::size_t best = left_.size();
    double best_us = time_us_ / kMinPlannedGain;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      if (faster[k] <= 0) continue;
      const double whole = advised_.study->base().time_us / faster[k];
      // Of what this finding adds, as much as can be realised; never more than it gains alone.
      double us = time_us_ - left_[k]->reach * (time_us_ - whole);
      us = std::max({us, time_us_ / left_[k]->speedup, least_us_});
      if (us < best_us) {
        best_us = us;
        best = k;
      }
    }
    if (best == left_.size()) return false;
    const advise::Finding& finding = *left_[best];
    const read::Kernel& kernel = advised_.given->kernel;
    steps.push_back(
        {.change = finding.hint.empty() ? finding.text : finding.hint,
         .rule = finding.rule,
         .place = finding.where == read::kNoIndex ? "" : advise::place_name(kernel, finding.where),
         // The change was compiled and predicted on this very kernel.
         .tried = finding.tried && edits_.empty() && finding.tried->time_us <= best_us,
         .time_us = best_us});
    if (steps.back().tried) steps.back().change = finding.tried->change;
    edits_.insert(edits_.end(), finding.edits.begin(), finding.edits.end());
    std::erase_if(left_, [&](const advise::Finding* f) { return f->rule == finding.rule; });
    time_us_ = best_us;
    return true;
  }

  const std::vector<analyze::Edit>& edits() const { return edits_; }

 private:
  const AdvisedLaunch& advised_;
  double time_us_;
  double least_us_;
  std::vector<const advise::Finding*> left_;
  std::vector<analyze::Edit> edits_;
};

void find_limiter(const timing::Prediction& p, Plan& plan) {
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    if (p.busy[r] < kBusy || p.busy[r] <= plan.limiter_busy) continue;
    plan.limiter_busy = p.busy[r];
    plan.limiter = machine::name(static_cast<machine::Resource>(r));
  }
}

}  // namespace

Plan make_plan(const AdvisedLaunch& advised, const std::vector<FixStep>& made,
               const AdvisedLaunch* changed, const std::vector<std::string>& without,
               const Progress& progress) {
  Plan plan;
  plan.base_us = advised.study->base().time_us;
  plan.work = analyze::work_bound(*advised.study);
  for (const analyze::Bound& bound : advised.limits.bounds) {
    if (bound.time_us > plan.work.time_us && bound.name != "tail")
      plan.code_bounds.push_back(bound);
  }
  for (const FixStep& step : made) {
    plan.steps.push_back({.change = step.change.title,
                          .rule = step.change.rules.empty() ? "" : step.change.rules.front(),
                          .place = step.change.place,
                          .tried = true,
                          .time_us = step.time_us});
  }
  const AdvisedLaunch& after = changed != nullptr ? *changed : advised;
  if (after.study == nullptr) return plan;
  Sequence sequence(after, plan.work, without);
  for (std::size_t k = 0; k < kMaxEstimated; ++k) {
    progress.step("planning: step", k + 1, 0);
    if (!sequence.step(plan.steps)) break;
  }
  progress.done();
  find_limiter(
      sequence.edits().empty() ? after.study->base() : after.study->with_edits(sequence.edits()),
      plan);
  return plan;
}

}  // namespace burin::jobs
