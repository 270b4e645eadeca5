// Follows the bottleneck from one configuration to the next: Algorithms 2 and 3 of the paper, as
// search.h describes them.
#pragma once

#include <cstddef>
#include <vector>

#include "model/guided/axes.h"
#include "model/guided/journal.h"

namespace burin::model {

// From the configuration with this number in the journal, until a lower occupancy is no better, no
// move helps, or the share of the examinations is spent.
void follow_bottleneck(const tune::Space& space, const std::vector<Axis>& axes,
                       const GuidedOptions& options, Journal& journal, std::size_t start);

}  // namespace burin::model
