// The axes along which the guided search moves: the tunables of a space, by what they are.
//
//   std::vector<Axis> axes = axes_of(space, {"block_size_x", "block_size_y"});
//   axes[2].next(space, point)          the point with the next larger value of the third axis
//
// A move along an axis multiplies: from 4 to 8 is a factor of 2, as is the unit stride of the
// paper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tune/space/space.h"

namespace burin::model {

enum class AxisKind : std::uint8_t {
  kBlock,    // a size of the block
  kCoarsen,  // coarsen_thread_x, coarsen_block_x, …
  kUnroll,   // unroll@LINE
  kNumber,   // any other positive number
  kSwitch,   // texts, booleans and numbers of which one is 0 or less: tried, but never extrapolated
};

struct Axis {
  std::size_t parameter = 0;
  AxisKind kind = AxisKind::kNumber;
  std::vector<std::uint16_t> ascending{};  // the indices of the values; of a switch as they are

  // The value as a factor of work; 1 for unroll@LINE=0, where the compiler chooses.
  double factor(const tune::Space& space, std::uint16_t value) const;

  // The valid point with the least larger value of this axis that is at least `factor`. If `less`,
  // the largest one where none is so large.
  std::optional<tune::Point> at_least(const tune::Space& space, const tune::Point& point,
                                      double factor, bool less = false) const;
  // The valid point with the next larger value.
  std::optional<tune::Point> next(const tune::Space& space, const tune::Point& point) const {
    return at_least(space, point, 0);
  }
};

// Of the parameters that have more than one value in valid points. `block_sizes` are those of which
// the launch makes its block.
std::vector<Axis> axes_of(const tune::Space& space, const std::set<std::string>& block_sizes);

// Where a search begins that is given no point: a valid configuration of about 256 threads and
// otherwise the least values, the plain kernel.
tune::Point plain_point(const tune::Space& space, const std::vector<Axis>& axes);

}  // namespace burin::model
