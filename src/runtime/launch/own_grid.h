// The check that a launch has the grid that the rational program expects for the program's own
// block. A program that launches fewer blocks on purpose (a part of the data, a grid-stride loop)
// does not, and its launch stays as it is.
//
//   Result<OwnGrid> own_grid = OwnGrid::prepare(program);
//   own_grid->matches(sizes, {{40, 1, 1}, {256, 1, 1}, 0})      ceildiv(10000, 256) == 40
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "formula/evaluator.h"
#include "formula/rational/rational_program.h"
#include "runtime/launch/launch_shape.h"

namespace burin::runtime {

class OwnGrid {
 public:
  static Result<OwnGrid> prepare(const formula::RationalProgram& program);

  bool matches(std::span<const std::int64_t> sizes, const LaunchShape& own) const;

 private:
  std::size_t size_count_ = 0;
  std::vector<formula::Evaluator> axes_;
  std::vector<formula::Evaluator> grid_;
};

}  // namespace burin::runtime
