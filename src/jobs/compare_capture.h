// `burin inspect CAPTURE --compare`: predicts the launches of a capture and compares them with
// their measured times.
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
#include "timing/result/prediction.h"

namespace burin::jobs {

// The prediction for one group of identical launches.
struct ComparedGroup {
  capture::LaunchGroup group;
  double predicted_us = 0;
  std::string problem{};  // why there is no prediction; "": there is one
  double unknown_share = 0;
  timing::Certainty certainty{};
  double bound_us = 0;  // the largest lower bound, and the unit that has it
  std::string bound_unit{};
  bool is_raised = false;                           // the prediction was raised to it
  bool is_warm = false;                             // predicted with its buffers in the L2 cache
  std::optional<launch::StallAgreement> stalls{};   // agreement with the kernel's samples, if any
  std::optional<capture::CountAgreement> counts{};  // agreement with the GPU's counts, if any

  bool is_compared() const { return problem.empty() && measured_us() > 0; }
  // Returns the ratio of the larger to the smaller of predicted and measured time, minus 1.
  // The time to compare with: that of the launch whose memory was used, because others may have
  // found other data; without memory, the median of all.
  double measured_us() const;
  double error() const;
  // Returns whether the part of the prediction that depends on Unknown values is negligible.
  bool is_known() const { return unknown_share < 0.05; }
};

struct CaptureComparison {
  std::string machine;
  bool machine_assumed = false;
  std::vector<ComparedGroup> groups;  // longest first

  // Summary statistics over the compared groups.
  std::size_t compared() const;
  double median_error() const;
  std::size_t known() const;  // compared groups whose is_known() is true
  double known_median_error() const;
  double mean_error() const;  // geometric mean of the ratios, minus 1
  double worst_error() const;
  std::optional<double> stall_overlap() const;  // median
  std::size_t counted() const;                  // groups with counts
  double count_agreement() const;               // median over the groups with counts
};

struct CompareCaptureRequest {
  std::optional<std::string> kernel{};  // only kernels whose name contains this
  bool warm = false, cold = false;      // neither: caches as left by the preceding launches
  std::string machine{};                // machine to predict for; "": the GPU's own
};

// Predicts and compares all groups. A group that cannot be predicted gets a `problem`; the other
// groups are still predicted.
Result<CaptureComparison> compare_capture(const capture::Capture& capture,
                                          const CompareCaptureRequest& request,
                                          const Progress& progress);

// Returns, for each kernel of the capture, whether its mangled or demangled name contains `wanted`.
std::vector<bool> matching_kernels(const capture::Capture& capture,
                                   const std::optional<std::string>& wanted);

}  // namespace burin::jobs
