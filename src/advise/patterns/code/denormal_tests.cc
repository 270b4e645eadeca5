#include "advise/patterns/code/denormal_tests.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "advise/patterns/code/math_line.h"
#include "analyze/code/regions.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::int64_t kSmallestNormal = 0x00800000;  // 2^-126 as a float
constexpr std::int64_t kMagnitude = 0x7fffffff;
constexpr std::uint32_t kSmallestExponent = 0xc2fc0000;  // -126: below, exp2f is denormal

bool has_smallest_normal(const read::Instruction& i) {
  return std::ranges::any_of(i.operands(), [](const read::Operand& o) {
    return o.kind == read::Operand::Kind::kFloat && (o.value & kMagnitude) == kSmallestNormal;
  });
}

bool has_smallest_exponent(const read::Instruction& i) {
  return std::ranges::any_of(i.operands(), [](const read::Operand& o) {
    return o.kind == read::Operand::Kind::kFloat &&
           static_cast<std::uint32_t>(o.value) == kSmallestExponent;
  });
}

bool compares_floats(const read::Instruction& i) {
  return read::has(i, read::Trait::kCompare) && i.opcode->operand_type == read::ValueType::kF32;
}

bool multiplies_floats(const read::Instruction& i) {
  return read::arithmetic_of(i) == read::Arithmetic::kMultiply &&
         i.opcode->operand_type == read::ValueType::kF32;
}

}  // namespace

read::InstructionSet denormal_tests(const Case& c) {
  read::InstructionSet tests(c.size());
  read::InstructionSet of_exponents(c.size());  // comparisons
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!compares_floats(c.at(i)) || !c.executed(i)) continue;
    if (has_smallest_normal(c.at(i))) tests[i] = 1;
    if (has_smallest_exponent(c.at(i))) of_exponents[i] = 1;
  }
  std::vector<std::uint32_t> scaled;
  for (const read::Dependence& d : c.kernel.dependences) {
    const bool scales =
        d.file == read::RegisterFile::kPredicate && multiplies_floats(c.at(d.consumer));
    if (!scales || (tests[d.producer] == 0 && of_exponents[d.producer] == 0)) continue;
    // A user's own comparison with -126 scales nothing.
    tests[d.producer] = 1;
    scaled.push_back(d.consumer);
  }
  for (const std::uint32_t i : scaled) tests[i] = 1;
  return tests;
}

std::vector<std::pair<std::uint32_t, double>> lines_of_tests(const Case& c,
                                                             const read::InstructionSet& tests) {
  std::map<std::pair<std::string_view, std::uint32_t>, std::pair<std::uint32_t, double>> lines;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (tests[i] == 0) continue;
    const analyze::SourceLine at = analyze::line_of(c.kernel, i);
    const auto [line, is_new] = lines.try_emplace({at.file, at.line}, i, 0.0);
    line->second.second += c.blamed.issued[i];
  }
  std::vector<std::pair<std::uint32_t, double>> all;
  for (const auto& [at, line] : lines) all.push_back(line);
  std::ranges::stable_sort(all, std::ranges::greater(), &std::pair<std::uint32_t, double>::second);
  return all;
}

bool gains_by_flushing(const Case& c, const read::InstructionSet& tests) {
  double flushed = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) flushed += tests[i] != 0 ? c.blamed.issued[i] : 0;
  const std::vector<MathCall> calls = math_calls(c);
  double replaced = 0;
  for (const auto& [at, line] : math_lines(c, calls, false)) {
    for (const std::uint32_t i : line.instructions) {
      replaced += tests[i] != 0 ? 0 : c.blamed.issued[i] * (1 - line.kept);
    }
  }
  return flushed > replaced;
}

}  // namespace burin::advise
