#include "timing/grid/light_windows.h"

#include <algorithm>
#include <map>

namespace burin::timing {

namespace {

constexpr std::uint64_t kWaves = 3;  // consecutive waves of blocks
constexpr double kSteps = 30'000;    // steps per window, approximately

double steps_of(const BlockJob& job) {
  double steps = 0;
  for (const auto& sections : *job.sections) {
    for (const Section& s : sections) steps += s.end - s.begin;
  }
  return steps;
}

}  // namespace

LightWindows::LightWindows(const TracedLaunch& traced,
                           std::span<const Prediction::Window> windows) {
  jobs_.resize(traced.windows.size());
  windows = windows.first(std::min(windows.size(), traced.windows.size()));
  const auto largest = std::ranges::max_element(windows, {}, &Prediction::Window::share);
  const auto w = static_cast<std::size_t>(largest - windows.begin());
  jobs_[w] = traced.windows[w].jobs;
  shorten(traced, jobs_[w]);
}

void LightWindows::shorten(const TracedLaunch& traced, std::vector<BlockJob>& jobs) {
  double steps = 0;
  for (const BlockJob& job : jobs) steps += steps_of(job);
  if (steps <= kSteps) return;
  // Only consecutive blocks are kept.
  const double each = steps / static_cast<double>(jobs.size());
  const std::uint64_t most =
      std::max(kWaves * traced.resident, static_cast<std::uint64_t>(kSteps / each));
  if (jobs.size() > most) jobs.resize(most);
  if (each * static_cast<double>(jobs.size()) <= 1.3 * kSteps) return;
  const auto target = static_cast<std::uint64_t>(kSteps / static_cast<double>(jobs.size()));
  std::map<const BlockTrace*, const Sections*> shorter;
  for (BlockJob& job : jobs) {
    const Sections*& sections = shorter[job.trace];
    if (sections == nullptr) {
      sections_.push_back(
          std::make_unique<Sections>(choose_sections(*traced.kernel, *job.trace, target)));
      sections = sections_.back().get();
    }
    job.sections = sections;
  }
}

}  // namespace burin::timing
