// --fail-on: the thresholds that a user sets, and the exit status where one is crossed.
#pragma once

#include <vector>

#include "advise/compare/gate.h"
#include "app/cli.h"

namespace burin::app {

// A sentence for each on standard error, after what was written to standard output.
Exit fail_on(const std::vector<advise::Crossing>& crossed, Context& context);

}  // namespace burin::app
