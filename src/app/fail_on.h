// --fail-on: the user's thresholds, and the exit status if one is crossed.
#pragma once

#include <vector>

#include "advise/compare/gate.h"
#include "app/cli.h"

namespace burin::app {

// Writes a sentence for each crossing to standard error, after the report on standard output.
// Returns the exit status.
Exit fail_on(const std::vector<advise::Crossing>& crossed, Context& context);

}  // namespace burin::app
