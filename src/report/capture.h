// What a capture holds, for people and for programs.
//
//   app.burin: 412 launches of 17 kernels, 12.3 ms on the GPU (NVIDIA H200)
//   process 4711: python train.py; 49,912 samples
//
//   launches     total   share    median  samples  kernel
//        128   4.21 ms  34.2 %   32.1 µs   17,070  ns::gemm<…>
//
//     launch      time   share  grid             block        kernel
//         17   1.20 ms   9.8 %  256,256,1        32,8,1       transpose  (memory, graph)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/capture.h"
#include "capture/counts.h"
#include "capture/groups.h"
#include "launch/stall_profile.h"
#include "report/json.h"
#include "report/output.h"

namespace burin {

// One group of equal launches, predicted.
struct ComparedGroup {
  LaunchGroup group;
  double predicted_us = 0;
  std::string problem{};  // why there is no prediction; "" where there is one
  double unknown_share = 0;
  bool is_warm = false;                    // predicted with its buffers in the L2 cache
  std::optional<StallAgreement> stalls{};  // with the kernel's samples, where it has any
  std::optional<CountAgreement> counts{};  // with what the GPU counted, where it did

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

struct CaptureReport {
  const Capture& capture;
  std::vector<const CapturedLaunch*> launches;  // to be shown, in order
  std::size_t left_out = 0;                     // of those that were asked for
  std::vector<std::uint64_t> samples;           // of each kernel, all of them
  const CaptureComparison* comparison = nullptr;
  std::size_t most_groups = 20;  // of the comparison, shown in the text; JSON has them all
};

void write_capture(Output& out, const CaptureReport& report);

// {"schema":"burin.capture/1",…}
void write_capture_json(Json& json, const CaptureReport& report);

}  // namespace burin
