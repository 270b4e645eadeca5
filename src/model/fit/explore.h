// What to ask the emulator about beyond the sizes that were measured: sizes of more work and of
// other proportions, and the few shapes that may win there.
//
//   explored_sizes({{512, 512}, {2048, 2048}}, 16)
//     {4096, 4096}, {8192, 8192}             4 and 16 times the work
//     {131072, 256}, {256, 131072}           8 times the work, long and narrow
//   other_proportions({{512, 512}, {2048, 2048}})
//     {32768, 128}, {128, 32768}             the work of the largest, long and narrow
//   finalists(times, 10)                     shapes of times.shapes
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/fit/shape_times.h"

namespace burin::model {

// `reach`: times the work of the largest. A value that is the same in all `known` sizes is larger
// in one of those found.
std::vector<Sizes> explored_sizes(std::span<const Sizes> known, double reach);

// Sizes to measure beside the known ones: about as much work as the largest has, one side after the
// other long and, of volumes, short. A value that is the same in all `known` sizes is larger in one
// of them, where the work may have grown with it.
std::vector<Sizes> other_proportions(std::span<const Sizes> known);

// The fastest shapes over all sizes, the larger ones counting more; and the fastest of other widths
// and of other numbers of threads, since what is slow at one size for its width may win at another.
std::vector<std::size_t> finalists(const ShapeTimes& times, std::size_t count);

}  // namespace burin::model
