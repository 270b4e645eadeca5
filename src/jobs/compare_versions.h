// `burin compare A B C …`: which of several versions of a kernel is fastest, by their predicted
// times, and whether the differences are large enough to bet on.
//
//   Result<Comparison> compared = compare_versions(requests, progress);
//   compared->versions[compared->order[0]].name    // the fastest
//   compared->versions[1].to_best.low              // at least so many times as long as it
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/predict_launch.h"
#include "timing/result/time_ratio.h"

namespace burin::jobs {

struct VersionRequest {
  std::string name;  // as the user wrote it
  PredictRequest request{};
};

// FILE or FILE:KERNEL, with all other options from `common`.
VersionRequest parse_version(const std::string& text, const PredictRequest& common);

struct Version {
  std::string name;
  std::unique_ptr<PredictedLaunch> predicted;  // null: `problem` says why
  std::string problem{};
  timing::TimeRatio to_best{};                          // its time / that of the fastest
  timing::Verdict verdict = timing::Verdict::kUnclear;  // against the fastest; for it: kFaster
                                                        // if every other version is slower
};

struct Comparison {
  std::vector<Version> versions;   // in the order of the requests
  std::vector<std::size_t> order;  // of those with a prediction: fastest first

  const Version& best() const { return versions[order.front()]; }
  // Versions that may be as fast as the fastest, for all that is known; itself included.
  std::vector<std::size_t> contenders() const;
};

// Fewer than two versions are a usage Error; if none can be predicted, the Error is the first
// one's.
Result<Comparison> compare_versions(const std::vector<VersionRequest>& requests,
                                    const Progress& progress);

}  // namespace burin::jobs
