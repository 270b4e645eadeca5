#include "capture/counts.h"

#include <algorithm>
#include <cmath>

#include "read/isa/instruction.h"

namespace burin::capture {
namespace {

constexpr std::uint64_t kMaxInstructions = 1 << 20;

// Predictions scale a part of the launch up, and so do not give whole numbers.
bool are_equal(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max(a, b);
}

}  // namespace

std::vector<double> executed_counts(std::span<const CapturedCounter> counters) {
  std::vector<double> executed;
  for (const CapturedCounter& counter : counters) {
    if (counter.metric != "smsp__sass_inst_executed" && counter.metric != "Instructions Executed") {
      continue;
    }
    const std::uint64_t index = counter.offset / read::kInstructionBytes;
    if (index >= kMaxInstructions) continue;
    if (executed.size() <= index) executed.resize(index + 1);
    executed[index] += counter.value;
  }
  return executed;
}

CountAgreement compare_counts(std::span<const double> ours,
                              std::span<const CapturedCounter> counters) {
  const std::vector<double> counted = executed_counts(counters);
  CountAgreement result;
  double smaller = 0, larger = 0;
  for (std::size_t k = 0; k < std::max(ours.size(), counted.size()); ++k) {
    const double here = k < ours.size() ? ours[k] : 0;
    const double there = k < counted.size() ? counted[k] : 0;
    if (here == 0 && there == 0) continue;
    result.ours += here;
    result.counted += there;
    smaller += std::min(here, there);
    larger += std::max(here, there);
    const bool is_first = result.is_equal();
    ++result.instructions;
    if (are_equal(here, there)) {
      ++result.equal;
    } else if (is_first) {
      result.first = k * read::kInstructionBytes;
      result.first_ours = here;
      result.first_counted = there;
    }
  }
  result.agreement = larger == 0 ? 1 : smaller / larger;
  return result;
}

}  // namespace burin::capture
