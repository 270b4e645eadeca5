#include "jobs/compare_capture.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <thread>

#include "base/timings.h"
#include "jobs/input/choose_machine.h"
#include "jobs/input/launch_request.h"
#include "machine/load.h"
#include "read/binary/demangle.h"
#include "timing/predict.h"
#include "timing/predicted_profile.h"

namespace burin::jobs {
namespace {

Result<machine::Machine> machine_for(const capture::Capture& capture,
                                     const capture::CapturedLaunch& launch, read::Architecture arch,
                                     const CompareCaptureRequest& view, bool& is_assumed) {
  is_assumed = false;
  if (!view.machine.empty()) return machine::load_machine(view.machine);
  if (const capture::CapturedGpu* gpu = capture.gpu(launch.gpu)) {
    return machine_of_gpu(gpu->name, arch, gpu->multiprocessors, is_assumed);
  }
  is_assumed = true;
  return default_machine(arch);
}

Result<void> compare_with_counts(const capture::Capture& capture,
                                 const timing::Prediction& prediction, ComparedGroup& group) {
  const auto counted =
      std::ranges::find(group.group.launches, true, &capture::CapturedLaunch::has_counts);
  if (counted == group.group.launches.end()) return {};
  const auto counts = capture.counts(**counted);
  if (!counts) return counts.error();
  std::vector<double> ours;
  for (const timing::InstructionCost& cost : prediction.costs) ours.push_back(cost.issued);
  group.counts = capture::compare_counts(ours, *counts);
  return {};
}

// An Error is the group's own: the others go on. `reading` is locked except while predicting: one
// thread at a time reads the capture and writes what all groups share.
Result<void> predict_group(const capture::Capture& capture, const CompareCaptureRequest& view,
                           std::unique_lock<std::mutex>& reading, ComparedGroup& group,
                           CaptureComparison& comparison) {
  const Result<LoadedLaunch> loaded = load_launch(capture, *group.group.example, {});
  if (!loaded) return loaded.error();
  const read::Kernel& kernel = loaded->loaded->kernel;
  bool is_assumed = false;
  const Result<machine::Machine> machine =
      machine_for(capture, *group.group.example, loaded->loaded->image.arch, view, is_assumed);
  if (!machine) return machine.error();
  if (Result<void> runs = check_architecture(kernel, *machine); !runs) return runs;
  comparison.machine = machine->name;
  comparison.machine_assumed = is_assumed;
  timing::PredictOptions options;
  options.warm = view.warm || (!view.cold && group.group.is_warm);
  group.is_warm = options.warm;
  options.in_stream = !view.cold && group.group.is_repeated();
  if (!view.warm && !view.cold) options.recent = group.group.recent;
  reading.unlock();
  const Result<timing::Prediction> prediction =
      timing::predict(kernel, loaded->launch, *machine, options);
  reading.lock();
  if (!prediction) return prediction.error();
  group.predicted_us = prediction->time_us;
  group.unknown_share = prediction->unknown_share;
  group.certainty = prediction->certainty;
  group.bound_us = prediction->bound.time_us;
  group.bound_unit = prediction->bound.unit;
  group.is_raised = prediction->bound.raised_from_us > 0;
  const Result<launch::StallProfile> measured = capture.profile(group.group.example->kernel);
  if (!measured) return measured.error();
  if (measured->total() >= launch::kMinSamples)
    group.stalls = launch::compare(timing::profile_of(*prediction), *measured);
  return compare_with_counts(capture, *prediction, group);
}

void predict_groups(const capture::Capture& capture, const CompareCaptureRequest& view,
                    const Progress& progress, CaptureComparison& comparison) {
  // Each prediction may take a GiB, and executes blocks on all cores by itself.
  constexpr std::size_t kMaxThreads = 8;
  std::mutex mutex;
  std::size_t next = 0;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (next < comparison.groups.size()) {
      ComparedGroup& group = comparison.groups[next++];
      progress.step("predicting launch", next, comparison.groups.size());
      if (const Result<void> done = predict_group(capture, view, lock, group, comparison); !done) {
        group.problem = done.error().message;
      }
    }
  };
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> others(std::min({cores, kMaxThreads, comparison.groups.size() + 1}) -
                                   1);
  for (std::jthread& other : others) other = std::jthread(work);
  work();
}

template <typename Value>
std::vector<double> compared_values(const std::vector<ComparedGroup>& groups, Value value) {
  std::vector<double> values;
  for (const ComparedGroup& group : groups) {
    if (group.is_compared()) values.push_back(value(group));
  }
  std::ranges::sort(values);
  return values;
}

double median(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

double ComparedGroup::measured_us() const {
  const capture::CapturedLaunch& example = *group.example;
  if (!example.has_memory || !example.duration_ns) return group.median_us;
  return static_cast<double>(*example.duration_ns) / 1000;
}

double ComparedGroup::error() const {
  const double ratio = predicted_us / measured_us();
  return std::max(ratio, 1 / ratio) - 1;
}

std::size_t CaptureComparison::compared() const {
  return static_cast<std::size_t>(std::ranges::count_if(groups, &ComparedGroup::is_compared));
}
double CaptureComparison::median_error() const {
  return median(compared_values(groups, [](const ComparedGroup& g) { return g.error(); }));
}
std::size_t CaptureComparison::known() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      groups, [](const ComparedGroup& g) { return g.is_compared() && g.is_known(); }));
}
double CaptureComparison::known_median_error() const {
  std::vector<ComparedGroup> some = groups;
  std::erase_if(some, [](const ComparedGroup& g) { return !g.is_known(); });
  return median(compared_values(some, [](const ComparedGroup& g) { return g.error(); }));
}
double CaptureComparison::mean_error() const {
  const auto logs =
      compared_values(groups, [](const ComparedGroup& g) { return std::log(1 + g.error()); });
  double sum = 0;
  for (const double value : logs) sum += value;
  return logs.empty() ? 0 : std::exp(sum / static_cast<double>(logs.size())) - 1;
}
double CaptureComparison::worst_error() const {
  const auto errors = compared_values(groups, [](const ComparedGroup& g) { return g.error(); });
  return errors.empty() ? 0 : errors.back();
}
std::optional<double> CaptureComparison::stall_overlap() const {
  std::vector<double> overlaps;
  for (const ComparedGroup& group : groups) {
    if (group.stalls) overlaps.push_back(group.stalls->overlap);
  }
  if (overlaps.empty()) return std::nullopt;
  std::ranges::sort(overlaps);
  return median(overlaps);
}

std::size_t CaptureComparison::counted() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(groups, [](const ComparedGroup& g) { return g.counts.has_value(); }));
}
double CaptureComparison::count_agreement() const {
  std::vector<double> agreements;
  for (const ComparedGroup& group : groups) {
    if (group.counts) agreements.push_back(group.counts->agreement);
  }
  std::ranges::sort(agreements);
  return median(agreements);
}

std::vector<bool> matching_kernels(const capture::Capture& capture,
                                   const std::optional<std::string>& wanted) {
  std::vector<bool> chosen;
  for (const capture::CapturedKernel& kernel : capture.kernels()) {
    chosen.push_back(!wanted || kernel.name.find(*wanted) != std::string::npos ||
                     read::demangle(kernel.name).find(*wanted) != std::string::npos);
  }
  return chosen;
}

Result<CaptureComparison> compare_capture(const capture::Capture& capture,
                                          const CompareCaptureRequest& view,
                                          const Progress& progress) {
  const Timed timed("compare");
  Result<std::vector<capture::LaunchGroup>> groups = capture::group_launches(capture);
  if (!groups) return groups.error();
  const std::vector<bool> chosen = matching_kernels(capture, view.kernel);
  std::erase_if(*groups,
                [&](const capture::LaunchGroup& g) { return !chosen[g.example->kernel - 1]; });
  CaptureComparison comparison;
  for (capture::LaunchGroup& group : *groups) {
    comparison.groups.emplace_back().group = std::move(group);
  }
  predict_groups(capture, view, progress, comparison);
  progress.done();
  return comparison;
}

}  // namespace burin::jobs
