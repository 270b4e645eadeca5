// Source lines that call precise functions of CUDA's math library: their code, and the fraction of
// it that remains with fast functions.
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

// The code of one line, or the code around a call if there is no line information.
struct MathLine {
  std::vector<std::uint32_t> instructions;
  std::vector<const MathCall*> calls;
  std::vector<std::uint32_t> special;  // MUFU instructions, or those that represent them
  double kept_special = 1;             // fraction of `special` that remains
  double kept = 1;                     // fraction of all instructions that remains
  double kept_rest = 1;                // fraction of the other instructions that remains
};

// The lines with calls; `calls` must outlive them. `flushing`: denormals are flushed to zero.
std::map<MathPlace, MathLine> math_lines(const Case& c, std::span<const MathCall> calls,
                                         bool flushing);

// Adds the change of a line as edits. Instructions that wait for a load stay, to keep the wait.
void add_edits(const Case& c, const MathLine& line, std::vector<analyze::Edit>& edits);

}  // namespace burin::advise
