#include "runtime/launch/own_grid.h"

#include <array>
#include <string>

#include "formula/rational/names.h"

namespace burin::runtime {

Result<OwnGrid> OwnGrid::prepare(const formula::RationalProgram& program) {
  OwnGrid own;
  own.size_count_ = program.sizes.size();
  const std::vector<std::string> names = names_of(program, formula::Scope::kShape);
  for (const auto& axis : program.axes) {
    Result<formula::Evaluator> evaluator = axis.value.evaluator(names);
    if (!evaluator) return evaluator.error();
    own.axes_.push_back(*evaluator);
  }
  for (const formula::Expression& expression : program.grid) {
    Result<formula::Evaluator> evaluator = expression.evaluator(names);
    if (!evaluator) return evaluator.error();
    own.grid_.push_back(*evaluator);
  }
  return own;
}

bool OwnGrid::matches(std::span<const std::int64_t> sizes, const LaunchShape& own) const {
  // The order of names_of(): sizes, axes, bx by bz, launch_x launch_y launch_z, smem.
  std::array<formula::Scalar, formula::kMaxNames> values;
  std::array<formula::Scalar, formula::kMaxStack> stack;
  if (sizes.size() != size_count_) return false;
  std::size_t at = 0;
  for (const std::int64_t size : sizes) values[at++] = formula::Scalar::of(size);
  for (const formula::Evaluator& axis : axes_) {
    formula::Scalar value;
    if (!axis.evaluate(values, stack, value)) return false;
    values[at++] = value;
  }
  for (const std::uint32_t threads : own.block) {
    values[at++] = formula::Scalar::of(std::int64_t{threads});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    values[at++] = formula::Scalar::of(std::int64_t{own.grid[i]} * own.block[i]);
  }
  values[at++] = formula::Scalar::of(static_cast<std::int64_t>(own.shared_bytes));
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    formula::Scalar blocks;
    if (!grid_[i].evaluate(values, stack, blocks)) return false;
    if (blocks.kind == formula::Scalar::Kind::kText) return false;
    if (blocks.number() != static_cast<double>(own.grid[i])) return false;
  }
  return true;
}

}  // namespace burin::runtime
