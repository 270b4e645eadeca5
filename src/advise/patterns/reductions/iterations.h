// How the iterations of a loop follow one another: what one needs of the one before, and by what
// its counter advances.
//
//   iterations_apart(c, slack, loop)    true for sums and for loops that carry only counters; false
//                                       for a random number generator, or a filter
//   step_of(c, slack, loop)             kVariable for `i += blockDim.x`
#pragma once

#include <cstdint>

#include "advise/case/case.h"
#include "advise/patterns/code/slack.h"

namespace burin::advise {

// Whether several iterations can be computed at the same time: they pass on only counters,
// addresses that advance, and sums or extrema that can be combined afterwards, none of which is
// tested to end the loop.
bool iterations_apart(const Case& c, const Slack& slack, std::uint32_t loop);

enum class Step : std::uint8_t {
  kNumber,    // the loop counts by a constant
  kVariable,  // it counts by a value that is not known to the compiler
  kUnknown,   // no counter that ends the loop is found
};
Step step_of(const Case& c, const Slack& slack, std::uint32_t loop);

}  // namespace burin::advise
