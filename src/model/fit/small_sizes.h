// Sizes of other proportions to measure beside those that were given, each with a launch about as
// short as that of the largest given size: what is long and narrow often wants another block, and
// no size of the usual proportions tells.
//
//   small_sizes({{512, 512}, {2048, 2048}}, shapes, time, fits)
//     {32768, 128}, {128, 32768}        or less, where such a launch took longer
//
// A size is made smaller until the fastest of a few common shapes is short enough there: first the
// sides that were not made longer; where that does not help, those that were.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "formula/rational/rational_program.h"
#include "model/fit/shape_times.h"

namespace burin::model {

// The time of a shape at a size, in µs; none where it does not run.
using TimeAt = std::function<std::optional<double>(const Sizes&, const formula::Shape&)>;
// Whether the buffers of a size fit the device.
using FitsAt = std::function<bool(const Sizes&)>;

std::vector<Sizes> small_sizes(std::span<const Sizes> given, std::span<const formula::Shape> shapes,
                               const TimeAt& time, const FitsAt& fits);

}  // namespace burin::model
