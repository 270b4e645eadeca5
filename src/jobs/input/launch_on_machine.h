// A launch and the machine it is to run on: what `burin predict` and `burin explain` begin with.
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
  bool machine_assumed = false;  // nobody named it: it is the one for the kernel's architecture
};

// Source is compiled for the machine that is named. Refuses a kernel that the machine does not run.
Result<LaunchOnMachine> load_on_machine(PredictRequest command, const Progress& progress);

}  // namespace burin::jobs
