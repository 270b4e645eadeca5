#include "advise/patterns/code/denormal_tests.h"

#include <algorithm>

#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::int64_t kSmallestNormal = 0x00800000;  // 2^-126 as a float
constexpr std::int64_t kMagnitude = 0x7fffffff;

bool has_smallest_normal(const read::Instruction& i) {
  return std::ranges::any_of(i.operands(), [](const read::Operand& o) {
    return o.kind == read::Operand::Kind::kFloat && (o.value & kMagnitude) == kSmallestNormal;
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
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!compares_floats(c.at(i)) || !has_smallest_normal(c.at(i)) || !c.executed(i)) continue;
    tests[i] = 1;
    for (const read::Dependence& d : c.kernel.dependences) {
      const bool scales = d.producer == i && d.file == read::RegisterFile::kPredicate &&
                          multiplies_floats(c.at(d.consumer));
      if (scales) tests[d.consumer] = 1;
    }
  }
  return tests;
}

}  // namespace burin::advise
