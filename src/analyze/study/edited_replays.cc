// Study: replays of a launch whose code, blocks or residents are changed.
#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>

#include "analyze/study/compared_machine.h"
#include "analyze/study/edit_plan.h"
#include "analyze/study/in_parallel.h"
#include "analyze/study/study.h"

namespace burin::analyze {

namespace {

constexpr unsigned kEditSamples = 3;  // replays of an edited launch:
constexpr std::uint64_t kLongReplay =
    1'000'000;                          // one fewer if a replay has this many instructions,
constexpr double kSteadyEdits = 0.001;  // only one if samples differ by at most this share,
constexpr double kClearlySmall = 2;     // no more if this many times the noise below `least`,
constexpr double kClearlyLarge = 10;    // or if the gain is this many times the noise

// The machine as seen by a launch with fewer blocks.
machine::Machine with_starts(const machine::Machine& machine, double share) {
  machine::Machine other = machine;
  for (double* gap : {&other.dispatch.block_gap, &other.dispatch.sm_gap, &other.dispatch.warp_gap,
                      &other.dispatch.latency}) {
    *gap *= share;
  }
  return other;
}

// If the edit leaves only a fraction of the blocks, each replayed block stands for that fraction of
// a block, so correspondingly more are resident at a time.
std::uint64_t residents(const timing::TracedLaunch& traced, double starts) {
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(traced.resident) / std::max(starts, 1.0 / 16)));
}

}  // namespace

timing::Prediction Study::with_edits(std::span<const Edit> edits) const {
  const EditPlan plan = plan_edits(edits, *traced_);
  const machine::Machine machine = with_starts(machine_, plan.starts);
  return timing::replay(plan.traced ? *plan.traced : *traced_, machine, options_,
                        {.dependences = dependences_.get(),
                         .edits = &plan.ops,
                         .resident = residents(*traced_, plan.starts),
                         .found = plan.same_lines ? &found_ : nullptr});
}

const std::vector<double>& Study::before_edits() const {
  std::call_once(before_edits_once_, [this] {
    before_edits_.resize(base_.replayed > kLongReplay ? kEditSamples - 1 : kEditSamples);
    in_parallel(options_.threads, before_edits_.size(), [&](std::size_t k) {
      before_edits_[k] = timing::replay(*traced_, sample_of(machine_, static_cast<unsigned>(k)),
                                        options_, {.time_only = true, .found = &found_})
                             .cycles;
    });
    const auto [least, most] = std::ranges::minmax_element(before_edits_);
    if (*most - *least < kSteadyEdits * *least) before_edits_.resize(1);
  });
  return before_edits_;
}

double Study::edited_once(std::span<const Edit> edits, double least) const {
  const EditPlan plan = plan_edits(edits, *traced_);
  const auto cycles_after = [&](unsigned sample) {
    const machine::Machine machine = with_starts(sample_of(machine_, sample), plan.starts);
    return timing::replay(plan.traced ? *plan.traced : *traced_, machine, options_,
                          {.dependences = dependences_.get(),
                           .edits = &plan.ops,
                           .resident = residents(*traced_, plan.starts),
                           .time_only = true,
                           .found = plan.same_lines ? &found_ : nullptr})
        .cycles;
  };
  std::vector<double> after{cycles_after(0)};
  const std::vector<double>& before = before_edits();
  const auto [shortest, longest] = std::ranges::minmax_element(before);
  const double noise = std::max(kSteadyEdits, *longest / *shortest - 1);
  const double faster = before[0] / after[0];
  if (faster < least - kClearlySmall * noise || faster > 1 + kClearlyLarge * noise) return faster;
  after.resize(before.size());
  in_parallel(options_.threads, after.size() - 1,
              [&](std::size_t k) { after[k + 1] = cycles_after(static_cast<unsigned>(k + 1)); });
  return std::reduce(before.begin(), before.end()) / std::reduce(after.begin(), after.end());
}

double Study::edited(std::span<const Edit> edits) const {
  return edited_once(edits, 0);
}

std::vector<double> Study::edited(std::span<const std::vector<Edit>> sets, const GoOn& go_on,
                                  double least) const {
  std::vector<double> faster(sets.size());
  std::mutex asking;
  const auto wanted = [&](std::size_t k) {
    const std::scoped_lock lock(asking);
    return !go_on || go_on(k);
  };
  if (sets.empty() || !wanted(0)) return faster;
  const std::future<void> reference =
      std::async(options_.threads == 1 ? std::launch::deferred : std::launch::async,
                 [this] { before_edits(); });
  in_parallel(options_.threads, sets.size(), [&](std::size_t k) {
    if (wanted(k)) faster[k] = edited_once(sets[k], least);
  });
  return faster;
}

std::vector<timing::Prediction> Study::with_residents(
    std::span<const std::uint64_t> residents) const {
  std::vector<timing::Prediction> predictions(residents.size());
  in_parallel(options_.threads, residents.size(), [&](std::size_t k) {
    predictions[k] = timing::replay(*traced_, machine_, options_, {.resident = residents[k]});
  });
  return predictions;
}

}  // namespace burin::analyze
