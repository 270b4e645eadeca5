// The options that `burin saturate` and `burin tune --at-saturation` share.
#pragma once

#include "jobs/saturate/saturate_kernel.h"

namespace CLI {
class App;
}

namespace burin::app {

// --vary, --target, --work, --threshold, --coarsenings, --whole-waves.
void add_saturation_options(CLI::App& app, jobs::SaturateRequest& request);

}  // namespace burin::app
