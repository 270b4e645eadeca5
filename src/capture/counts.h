// Compares the emulator's instruction execution counts with those measured on a GPU.
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
  double ours = 0, counted = 0;    // total warp instructions
  double agreement = 0;            // Σ min / Σ max over all instructions: 1 if all are equal
  std::uint64_t instructions = 0;  // instructions executed in either
  std::uint64_t equal = 0;         // instructions with equal counts
  std::uint64_t first = 0;         // offset of the first instruction that differs
  double first_ours = 0, first_counted = 0;

  bool is_equal() const { return equal == instructions; }
};

// Returns the executed warp instructions for each instruction of a kernel; empty if not counted.
std::vector<double> executed_counts(std::span<const CapturedCounter> counters);

// Compares the counts. `ours` has one count for each instruction of the kernel.
CountAgreement compare_counts(std::span<const double> ours,
                              std::span<const CapturedCounter> counters);

}  // namespace burin::capture
