#include "jobs/compare_versions.h"

#include <algorithm>
#include <filesystem>

#include "capture/rebuilt_launch.h"
#include "jobs/input/open_capture.h"

namespace burin::jobs {
namespace {

constexpr std::size_t kMaxVersions = 64;
constexpr const char* kMeasuredOn = "h200";

timing::PredictedTime time_of(const PredictedLaunch& predicted) {
  const timing::Certainty& certainty = predicted.prediction.certainty;
  return {.time_us = predicted.prediction.time_us,
          .kind = certainty.kind,
          .defer = certainty.defer,
          .on_h200 = predicted.on.machine.name == kMeasuredOn};
}

bool is_same_code(const PredictedLaunch& a, const PredictedLaunch& b) {
  const Bytes x = a.on.launch.loaded->function().code;
  const Bytes y = b.on.launch.loaded->function().code;
  return std::ranges::equal(x, y) &&
         a.on.launch.loaded->function().registers == b.on.launch.loaded->function().registers;
}

// Launched alike, as far as the options say.
bool is_same_launch(const PredictRequest& a, const PredictRequest& b) {
  const LaunchRequest &x = a.launch, &y = b.launch;
  return x.grid == y.grid && x.block == y.block && x.cluster == y.cluster &&
         x.shared_bytes == y.shared_bytes && x.arguments == y.arguments &&
         x.settings == y.settings && a.machine == b.machine && a.warm == b.warm;
}

void rank(Comparison& comparison, const std::vector<VersionRequest>& requests) {
  std::vector<Version>& versions = comparison.versions;
  std::ranges::stable_sort(comparison.order, {}, [&](std::size_t k) {
    return versions[k].predicted->prediction.time_us;
  });
  const std::size_t first = comparison.order.front();
  bool is_clear = true;
  for (const std::size_t k : comparison.order) {
    if (k == first) continue;
    Version& version = versions[k];
    version.to_best =
        timing::time_ratio(time_of(*version.predicted), time_of(*versions[first].predicted));
    const bool identical = is_same_code(*version.predicted, *versions[first].predicted) &&
                           is_same_launch(requests[k].request, requests[first].request);
    version.verdict = timing::verdict_of(version.to_best, identical);
    is_clear = is_clear && version.verdict == timing::Verdict::kSlower;
  }
  versions[first].verdict = is_clear ? timing::Verdict::kFaster : timing::Verdict::kUnclear;
}

}  // namespace

VersionRequest parse_version(const std::string& text, const PredictRequest& common) {
  VersionRequest version{.name = text, .request = common};
  KernelSource& source = version.request.launch.source;
  source.file = text;
  std::error_code ignored;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(text, ignored) ||
      is_capture_input(capture::parse_capture_name(text).file)) {
    return version;
  }
  // C++ names have colons of their own: the file ends at the first colon after which it exists.
  std::size_t end = colon;
  for (std::size_t k = text.find(':'); k != std::string::npos; k = text.find(':', k + 1)) {
    if (std::filesystem::exists(text.substr(0, k), ignored)) {
      end = k;
      break;
    }
  }
  source.file = text.substr(0, end);
  source.kernel = text.substr(end + 1);
  return version;
}

std::vector<std::size_t> Comparison::contenders() const {
  std::vector<std::size_t> all;
  for (const std::size_t k : order) {
    if (k == order.front() || versions[k].verdict != timing::Verdict::kSlower) all.push_back(k);
  }
  return all;
}

Result<Comparison> compare_versions(const std::vector<VersionRequest>& requests,
                                    const Progress& progress) {
  if (requests.size() < 2) {
    return Error{"compare needs at least two versions: FILE or FILE:KERNEL each", Exit::kUsage};
  }
  if (requests.size() > kMaxVersions) {
    return Error{"compare takes at most 64 versions", Exit::kUsage};
  }
  Comparison comparison;
  std::optional<Error> first_problem;
  for (const VersionRequest& request : requests) {
    progress.step("predicting version", comparison.versions.size() + 1, requests.size());
    Version version{.name = request.name, .predicted = nullptr};
    Result<std::unique_ptr<PredictedLaunch>> predicted = predict_launch(request.request, {});
    if (predicted) {
      version.predicted = std::move(*predicted);
      comparison.order.push_back(comparison.versions.size());
    } else {
      version.problem = predicted.error().message;
      if (!first_problem) first_problem = predicted.error();
    }
    comparison.versions.push_back(std::move(version));
  }
  progress.done();
  if (comparison.order.empty()) return *first_problem;
  rank(comparison, requests);
  return comparison;
}

}  // namespace burin::jobs
