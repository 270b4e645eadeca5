// A launch and the machine to run it on: the input of `burin predict` and `burin explain`.
//
//   Result<LaunchOnMachine> loaded = load_on_machine(command, progress);
//   loaded->launch.loaded->kernel, loaded->machine
#pragma once

#include "base/result.h"
#include "jobs/input/predict_request.h"
#include "jobs/input/progress.h"
#include "machine/machine.h"

namespace burin::jobs {

struct LaunchOnMachine {
  LoadedLaunch launch;
  machine::Machine machine;
  bool machine_assumed = false;  // not named by the user: default for the kernel's architecture
};

// Loads the launch. Source code is compiled for the named machine. A kernel that does not run on
// the machine is an Error.
Result<LaunchOnMachine> load_on_machine(PredictRequest command, const Progress& progress);

}  // namespace burin::jobs
