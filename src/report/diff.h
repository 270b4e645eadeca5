// What changed between two builds or two captures, kernel by kernel and line by line.
//
//   v1.cubin -> v2.cubin: 3 kernels in both, 1 of them changed
//
//   transpose(float*, float const*, int)
//                         before      after
//   registers                 28         34   +6
//   predicted             335 µs     152 µs   2.20× faster
//   short_scoreboard      45.0 %     12.0 %   -33.0 %
//   …
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/diff_facts.h"
#include "report/diff_lines.h"
#include "report/diff_pairs.h"
#include "report/gate.h"
#include "report/json.h"
#include "report/output.h"
#include "report/source.h"

namespace burin {

struct DiffSide {
  std::string file;
  std::vector<KernelFacts> kernels{};
  std::vector<std::string> notes{};
};

struct KernelDiff {
  KernelPair pair{};
  std::vector<LineChange> lines{};
  std::vector<AdviceChange> advice{};

  bool is_changed() const;  // in code or in anything that was measured or predicted
};

struct Diff {
  const DiffSide& before;
  const DiffSide& after;
  std::vector<KernelDiff> kernels{};  // in both
  std::vector<const KernelFacts*> gone{};
  std::vector<const KernelFacts*> added{};
};

// What is given must outlive the diff.
Diff compare_sides(const DiffSide& before, const DiffSide& after, SourceText& before_source,
                   SourceText& after_source);

// The time that both have, of one kind: measured, else predicted.
struct TimeChange {
  double before_us = 0;
  double after_us = 0;
  bool measured = false;
};
std::optional<TimeChange> time_change(const KernelPair& pair);

// A number that both have and that a threshold can be set on.
struct CountedChange {
  std::string_view name;  // "registers"
  std::uint64_t KernelFacts::* value;
  bool is_bytes = false;
};
std::span<const CountedChange> counted_changes();

struct DiffView {
  bool all = false;  // unchanged kernels, lines and rows too
  std::size_t most_lines = 10;
};
void write_diff(Output& out, const Diff& diff, const DiffView& view, SourceText& source);

// {"schema":"burin.diff/1",…}; docs/diff.md describes every field.
void write_diff_json(Json& json, const Diff& diff);

// What --fail-on of `burin diff` takes, and what of it is crossed.
std::span<const Measure> diff_measures();
std::vector<Crossing> crossings(std::span<const Gate> gates, const Diff& diff);

}  // namespace burin
