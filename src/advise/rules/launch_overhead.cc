// Kernels so short that launching them takes as long as their work.
//
// The overhead of a single launch is the time of an empty kernel. A capture also shows the gaps
// between launches. Recording makes those gaps longer, so its own cost does not count.
#include <algorithm>

#include "advise/rules/all.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr double kMinOverhead = 0.2;     // of the time that is not the kernel's own work
constexpr double kLongGap_us = 50;       // the program was busy with something else
constexpr std::size_t kMinLaunches = 3;  // launches in a row
constexpr double kMinWork_us = 0.1;
// Measured in captures on an H200: the gap between queued launches, and the additional CPU time of
// a recorded launch.
constexpr double kQueued_us = 1.1;
constexpr double kRecording_us = 5;

// The consecutive launches around the analysed one, each soon after the previous one.
struct Row {
  std::size_t launches = 0;
  double elapsed_us = 0;
  double working_us = 0;
};

Row row_of(const LaunchSequence& sequence, double overhead_us) {
  const std::vector<NeighbourLaunch>& all = sequence.launches;
  const auto follows = [&](std::size_t k) {
    return all[k].start_us - (all[k - 1].start_us + all[k - 1].time_us) < kLongGap_us;
  };
  std::size_t first = sequence.at;
  std::size_t last = sequence.at;
  while (first > 0 && follows(first)) --first;
  while (last + 1 < all.size() && follows(last + 1)) ++last;
  Row row{.launches = last - first + 1};
  for (std::size_t k = first; k <= last; ++k) {
    const double end_us = all[k].start_us + all[k].time_us;
    const double gap_us = k < last ? all[k + 1].start_us - end_us : kQueued_us;
    row.elapsed_us +=
        all[k].time_us + std::max(std::min(gap_us, kQueued_us), gap_us - kRecording_us);
    row.working_us += std::max(kMinWork_us, all[k].time_us - overhead_us);
  }
  return row;
}

class LaunchOverhead final : public Rule {
  std::string_view id() const override { return "launch-overhead"; }
  std::string_view summary() const override { return "kernels dominated by launch overhead"; }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    const double overhead_us = c.machine.seconds(c.machine.dispatch.launch) * 1e6;
    if (c.neighbours != nullptr && c.neighbours->launches.size() >= kMinLaunches) {
      return in_row(row_of(*c.neighbours, overhead_us));
    }
    if (!c.time_us || *c.time_us <= 0) return {};
    const double share = std::min(0.95, overhead_us / *c.time_us);
    if (share < kMinOverhead) return {};
    Match match = given(1 / (1 - share));
    match.text = fmt::format(
        "Launch overhead is {} of {}: the kernel has too little work for its own launch.",
        time_text(overhead_us), time_text(*c.time_us));
    match.hint =
        "Do more work per launch: more elements, several steps in a loop, or fuse it with adjacent "
        "kernels. For many launches in sequence, use a CUDA graph.";
    return {std::move(match)};
  }

  static std::vector<Match> in_row(const Row& row) {
    if (row.launches < kMinLaunches || row.elapsed_us <= 0) return {};
    const double share = 1 - row.working_us / row.elapsed_us;
    if (share < kMinOverhead) return {};
    Match match = given(row.elapsed_us / row.working_us);
    match.text = fmt::format(
        "{} consecutive launches take {}, of which the kernels run for {}. The rest is launch "
        "overhead.",
        with_commas(row.launches), time_text(row.elapsed_us), time_text(row.working_us));
    match.hint =
        "Merge them into one kernel that loops over the steps (with grid-wide synchronisation, or "
        "in one block if the data fits), or capture them in a CUDA graph.";
    return {std::move(match)};
  }

  static Match given(double speedup) {
    Match match;
    match.estimator = Estimator::kGiven;
    match.speedup = speedup;
    // Bounds of a single launch do not apply to several launches.
    for (std::size_t r = 0; r < machine::kResources; ++r) {
      match.relieves.push_back(static_cast<machine::Resource>(r));
    }
    return match;
  }
};

}  // namespace

const Rule* launch_overhead() {
  static const LaunchOverhead rule;
  return &rule;
}

}  // namespace burin::advise
