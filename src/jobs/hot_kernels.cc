#include "jobs/hot_kernels.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "capture/groups.h"
#include "read/binary/demangle.h"

namespace burin::jobs {
namespace {

constexpr double kMinPathShare = 0.1;  // of the kernel's time, for advice of its own

bool is_meant(const capture::CapturedKernel& kernel, const std::optional<std::string>& wanted) {
  return !wanted || kernel.name.find(*wanted) != std::string::npos ||
         read::demangle(kernel.name).find(*wanted) != std::string::npos;
}

using Groups = std::vector<capture::LaunchGroup>;

// Takes the launches with the longest total time, among those of the path.
void take_longest(HotKernel& hot, const Groups& groups, const capture::CallPath& path) {
  const std::set<const capture::CapturedLaunch*> mine(path.launches.begin(), path.launches.end());
  std::uint64_t longest_ns = 0;
  hot.example = nullptr;
  hot.total_ns = 0;
  for (const capture::LaunchGroup& group : groups) {
    std::vector<const capture::CapturedLaunch*> alike;
    std::uint64_t sum_ns = 0;
    for (const capture::CapturedLaunch* launch : group.launches) {
      if (!mine.contains(launch)) continue;
      alike.push_back(launch);
      sum_ns += launch->duration_ns.value_or(0);
    }
    hot.total_ns += sum_ns;
    if (alike.empty() || (hot.example != nullptr && sum_ns <= longest_ns)) continue;
    longest_ns = sum_ns;
    const auto with_memory = std::ranges::find_if(
        alike, [](const capture::CapturedLaunch* launch) { return launch->has_memory; });
    hot.example = with_memory == alike.end() ? alike.front() : *with_memory;
    hot.alike = std::move(alike);
  }
}

// Whether all launches of the kernel do the same work.
bool is_uniform(const Groups& groups, std::uint64_t kernel) {
  return std::ranges::count_if(groups, [&](const capture::LaunchGroup& group) {
           return group.example->kernel == kernel;
         }) <= 1;
}

// One for each path with a large share of the time; the kernel as it is if its paths cannot be
// distinguished.
Result<std::vector<HotKernel>> split_by_path(const capture::Capture& capture, const Groups& groups,
                                             HotKernel whole) {
  Result<std::vector<capture::CallPath>> paths = capture::call_paths(capture, whole.kernel->id);
  if (!paths) return paths.error();
  if (paths->size() < 2) return std::vector{std::move(whole)};
  whole.paths = *paths;
  double sampled = 0;  // of launches that are known
  for (const capture::CallPath& path : *paths) {
    const Result<launch::StallProfile> profile = capture::profile_of(capture, path);
    if (!profile) return profile.error();
    sampled += profile->total();
  }
  if (sampled < launch::kMinSamples && is_uniform(groups, whole.kernel->id)) {
    return std::vector{std::move(whole)};
  }
  std::vector<HotKernel> split;
  for (capture::CallPath& path : *paths) {
    if (path.share < kMinPathShare) continue;
    HotKernel& hot = split.emplace_back(
        HotKernel{.kernel = whole.kernel, .one_path = true, .shared_samples = sampled == 0});
    take_longest(hot, groups, path);
    hot.paths.push_back(std::move(path));
  }
  if (split.size() < 2) return std::vector{std::move(whole)};
  return split;
}

}  // namespace

Result<std::vector<HotKernel>> hot_kernels(const capture::Capture& capture,
                                           const std::optional<std::string>& wanted,
                                           std::size_t count, bool by_caller) {
  const Result<Groups> groups = capture::group_launches(capture);
  if (!groups) return groups.error();
  std::vector<HotKernel> hot(capture.kernels().size());
  const std::vector<std::uint64_t> samples = capture.sample_counts();
  for (std::size_t k = 0; k < hot.size(); ++k) {
    hot[k].kernel = &capture.kernels()[k];
    hot[k].samples = k < samples.size() ? samples[k] : 0;
  }
  // The launches that took the most time stand for all.
  for (const capture::LaunchGroup& group : *groups) {
    HotKernel& of = hot[group.example->kernel - 1];
    of.total_ns += group.total_ns;
    if (of.example != nullptr) continue;
    of.example = group.example;
    of.alike = group.launches;
  }
  std::erase_if(hot, [&](const HotKernel& h) {
    return (h.example == nullptr && h.samples == 0) || !is_meant(*h.kernel, wanted);
  });
  std::ranges::stable_sort(hot, std::ranges::greater{},
                           [](const HotKernel& h) { return std::pair(h.total_ns, h.samples); });
  if (hot.size() > count) hot.resize(count);
  if (!by_caller) return hot;
  std::vector<HotKernel> all;
  for (HotKernel& each : hot) {
    Result<std::vector<HotKernel>> split = split_by_path(capture, *groups, std::move(each));
    if (!split) return split.error();
    std::ranges::move(*split, std::back_inserter(all));
  }
  return all;
}

Result<HotKernel> hot_kernel_of(const capture::Capture& capture,
                                const capture::CapturedLaunch& launch) {
  HotKernel hot{.kernel = &capture.kernel(launch.kernel),
                .example = &launch,
                .alike = {&launch},
                .total_ns = launch.duration_ns.value_or(0)};
  Result<std::vector<capture::CallPath>> paths = capture::call_paths(capture, launch.kernel);
  if (!paths) return paths.error();
  if (paths->size() < 2) return hot;
  for (capture::CallPath& path : *paths) {
    if (std::ranges::find(path.launches, &launch) == path.launches.end()) continue;
    hot.paths.push_back(std::move(path));
  }
  return hot;
}

}  // namespace burin::jobs
