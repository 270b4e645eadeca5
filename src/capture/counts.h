// How often instructions were executed, ours beside those that a GPU counted.
//
//   CountAgreement counts = compare_counts(ours, *capture.counts(launch));
//   counts.equal, counts.instructions     34 of 34 instructions
//   counts.agreement                      1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "capture/capture.h"

namespace burin::capture {

struct CountAgreement {
  double ours = 0, counted = 0;    // warp instructions
  double agreement = 0;            // Σ min / Σ max over the instructions: 1 where all are equal
  std::uint64_t instructions = 0;  // that either executed
  std::uint64_t equal = 0;         // of these, as often
  std::uint64_t first = 0;         // offset of the first that differs
  double first_ours = 0, first_counted = 0;

  bool is_equal() const { return equal == instructions; }
};

// Warp instructions executed, for each instruction of a kernel; empty where none were counted.
std::vector<double> executed_counts(std::span<const CapturedCounter> counters);

// `ours` has a number for each instruction of the kernel.
CountAgreement compare_counts(std::span<const double> ours,
                              std::span<const CapturedCounter> counters);

}  // namespace burin::capture
