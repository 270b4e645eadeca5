#include "jobs/tune/exit_status.h"

#include <algorithm>

#include "jobs/tune/device.h"

namespace burin::jobs {
namespace {

// No configuration came to a device, or the device was the emulator.
bool failed_by_input(const TunedRun& run) {
  const bool emulated = run.device.starts_with(kEmulatorDevice);
  return !run.tuned.trials.empty() &&
         std::ranges::all_of(run.tuned.trials, [&](const tune::Trial& trial) {
           using enum tune::Status;
           return trial.status == kCompile || trial.status == kConstraints ||
                  (emulated && trial.status != kTimeout);
         });
}

}  // namespace

Exit exit_of(const TunedKernel& tuned) {
  if (tuned.runs.empty()) return Exit::kDevice;
  Exit worst = Exit::kDone;
  for (const TunedRun& run : tuned.runs) {
    if (run.best() != nullptr) continue;
    if (!failed_by_input(run)) return Exit::kDevice;
    worst = Exit::kInput;
  }
  return worst;
}

}  // namespace burin::jobs
