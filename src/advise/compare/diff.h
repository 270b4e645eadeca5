// The differences between two builds or two captures.
//
//   Diff diff = compare_sides(before, after, before_source, after_source);
//   diff.kernels[0].is_changed(), time_change(diff.kernels[0].pair)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/compare/gate.h"
#include "advise/compare/kernel_facts.h"
#include "advise/compare/kernel_pairs.h"
#include "advise/compare/line_match.h"
#include "read/program/source.h"
#include "timing/result/time_ratio.h"

namespace burin::advise {

struct DiffSide {
  std::string file;
  std::vector<KernelFacts> kernels{};
  std::vector<std::string> notes{};
};

struct KernelDiff {
  KernelPair pair{};
  std::vector<LineChange> lines{};
  std::vector<AdviceChange> advice{};

  bool is_changed() const;  // in code, or in anything measured or predicted
};

struct Diff {
  const DiffSide& before;
  const DiffSide& after;
  std::vector<KernelDiff> kernels{};  // in both builds
  std::vector<const KernelFacts*> gone{};
  std::vector<const KernelFacts*> added{};
};

// Compares two builds or captures. All arguments must outlive the diff.
Diff compare_sides(const DiffSide& before, const DiffSide& after, read::SourceText& before_source,
                   read::SourceText& after_source);

// A time of the same kind on both sides: measured, else predicted.
struct TimeChange {
  double before_us = 0;
  double after_us = 0;
  bool measured = false;
};
std::optional<TimeChange> time_change(const KernelPair& pair);

// Whether a kernel became faster or slower, as far as can be told. Measured times count as they
// are, and are the same within 2 %; predicted ones within the interval of their ratio. Without
// times, code that is bit-identical is the same, and anything else is unclear.
struct KernelVerdict {
  timing::Verdict verdict = timing::Verdict::kUnclear;
  std::optional<timing::TimeRatio> ratio{};  // after / before; empty: no times
  bool measured = false;
};
KernelVerdict verdict_of(const KernelPair& pair);

// A count that both sides have and that a threshold can be set on.
struct CountedChange {
  std::string_view name;  // "registers"
  std::uint64_t KernelFacts::* value;
  bool is_bytes = false;
};
std::span<const CountedChange> counted_changes();

// diff_measures(): the measures that --fail-on of `burin diff` accepts. crossings(): the gates that
// the diff crosses.
std::span<const Measure> diff_measures();
std::vector<Crossing> crossings(std::span<const Gate> gates, const Diff& diff);

}  // namespace burin::advise
