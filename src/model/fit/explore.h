// What to ask the emulator about beyond the sizes that were measured: sizes of more work and of
// other proportions, and the few shapes that may win there.
//
//   explored_sizes({{512, 512}, {2048, 2048}}, 16)
//     {4096, 4096}, {8192, 8192}             4 and 16 times the work
//     {131072, 256}, {256, 131072}           8 times the work, long and narrow
//   finalists(times, 10)                     shapes of times.shapes
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/fit/shape_times.h"

namespace burin::model {

// Values that are the same in all `known` sizes stay. `reach`: times the work of the largest.
std::vector<Sizes> explored_sizes(std::span<const Sizes> known, double reach);

// The fastest shapes over all sizes, the larger ones counting more; and the fastest of other widths
// and of other numbers of threads, since what is slow at one size for its width may win at another.
std::vector<std::size_t> finalists(const ShapeTimes& times, std::size_t count);

}  // namespace burin::model
