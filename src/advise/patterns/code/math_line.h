// Lines of the source that call precise functions of CUDA's library: their code, and what cheaper
// forms leave of it.
//
//   const std::vector<MathCall> calls = math_calls(c);
//   for (const auto& [at, line] : math_lines(c, calls, flushing)) add_edits(c, line, match.edits);
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/patterns/code/math_call.h"

namespace burin::advise {

using MathPlace = std::pair<std::string_view, std::uint32_t>;  // file, line

// The code of one line, or without line information what stands around a call.
struct MathLine {
  std::vector<std::uint32_t> instructions;
  std::vector<const MathCall*> calls;
  std::vector<std::uint32_t> special;  // that are, or take the place of, MUFU
  double kept_special = 1;             // … of them
  double kept = 1;                     // of its instructions, with fast functions
  double kept_rest = 1;                // … of those that are not `special`
};

// The lines with calls; `calls` must outlive them. `flushing`: denormals are flushed to zero.
std::map<MathPlace, MathLine> math_lines(const Case& c, std::span<const MathCall> calls,
                                         bool flushing);

// What is left of a line, as edits. What waits for a load stays: with it, the wait would go.
void add_edits(const Case& c, const MathLine& line, std::vector<analyze::Edit>& edits);

}  // namespace burin::advise
