// `burin inspect CAPTURE --compare`: the launches of a capture, predicted beside their measured
// times.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "capture/counts.h"
#include "capture/groups.h"
#include "jobs/input/progress.h"
#include "launch/stall_profile.h"

namespace burin::jobs {

// One group of equal launches, predicted.
struct ComparedGroup {
  capture::LaunchGroup group;
  double predicted_us = 0;
  std::string problem{};  // why there is no prediction; "" where there is one
  double unknown_share = 0;
  bool is_warm = false;                             // predicted with its buffers in the L2 cache
  std::optional<launch::StallAgreement> stalls{};   // with the kernel's samples, where it has any
  std::optional<capture::CountAgreement> counts{};  // with what the GPU counted, where it did

  bool is_compared() const { return problem.empty() && group.median_us > 0; }
  // The larger of predicted and measured over the smaller, less 1.
  double error() const;
  // Whether so little of the prediction rests on Unknown values that it does not matter.
  bool is_known() const { return unknown_share < 0.05; }
};

struct CaptureComparison {
  std::string machine;
  bool machine_assumed = false;
  std::vector<ComparedGroup> groups;  // the longest first

  // Over the groups that are compared.
  std::size_t compared() const;
  double median_error() const;
  std::size_t known() const;  // of the compared ones, those that are known
  double known_median_error() const;
  double mean_error() const;  // of the ratios' logarithms, as a ratio less 1
  double worst_error() const;
  std::optional<double> stall_overlap() const;  // the median
  std::size_t counted() const;                  // groups with counts
  double count_agreement() const;               // the median of them
};

struct CompareCaptureRequest {
  std::optional<std::string> kernel{};  // only launches of kernels with this in their name
  bool warm = false, cold = false;      // neither: as the launches before left the caches
  std::string machine{};                // to predict for; "": the GPU's own
};

// A group that cannot be predicted says why; the others go on.
Result<CaptureComparison> compare_capture(const capture::Capture& capture,
                                          const CompareCaptureRequest& request,
                                          const Progress& progress);

// Of each kernel of the capture: whether its name, mangled or not, has `wanted` in it.
std::vector<bool> matching_kernels(const capture::Capture& capture,
                                   const std::optional<std::string>& wanted);

}  // namespace burin::jobs
