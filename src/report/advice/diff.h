// The differences between two builds or two captures, by kernel and by line.
//
//   v1.cubin -> v2.cubin: 3 kernels in both, 1 changed
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

#include "advise/compare/diff.h"
#include "read/program/source.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct DiffView {
  bool all = false;  // also unchanged kernels, lines and rows
  std::size_t most_lines = 10;
};
void write_diff(Output& out, const advise::Diff& diff, const DiffView& view,
                read::SourceText& source);

// The same as a summary in Markdown, for a pull request: one row per kernel with registers, spills,
// predicted time with its interval, and the verdict.
void write_diff_markdown(Output& out, const advise::Diff& diff);

// {"schema":"burin.diff/1",…}; docs/diff.md describes every field.
void write_diff_json(Json& json, const advise::Diff& diff);

}  // namespace burin::report
