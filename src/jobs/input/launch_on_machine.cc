#include "jobs/input/launch_on_machine.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "jobs/input/choose_machine.h"
#include "machine/load.h"

namespace burin::jobs {
namespace {

// The machine that is meant where none is named.
Result<void> choose_machine(LaunchOnMachine& on) {
  const read::Architecture arch = on.launch.loaded->image.arch;
  on.machine_assumed = true;
  const std::optional<CapturedFacts>& captured = on.launch.captured;
  Result<machine::Machine> machine =
      captured && captured->gpu ? machine_of_gpu(captured->gpu->name, arch,
                                                 captured->gpu->multiprocessors, on.machine_assumed)
                                : default_machine(arch);
  if (!machine) return machine.error();
  on.machine = std::move(*machine);
  return {};
}

// Tensor cores never run at more than their own clock.
void set_clock(machine::Machine& machine, double mhz) {
  machine = machine.at_clock(mhz);
  for (double* clock : {&machine.sm.tensor_clock_mhz, &machine.sm.full_tensor_clock_mhz}) {
    *clock = std::min(*clock, mhz);
  }
  machine.name += fmt::format(" at {:.0f} MHz", mhz);
}

}  // namespace

Result<LaunchOnMachine> load_on_machine(PredictRequest command, const Progress& progress) {
  LaunchOnMachine on;
  if (!command.machine.empty()) {
    Result<machine::Machine> machine = machine::load_machine(command.machine);
    if (!machine) return machine.error();
    on.machine = std::move(*machine);
    command.launch.source.gpu = on.machine.arch;
  }
  Result<LoadedLaunch> loaded = load_launch(command.launch, progress);
  if (!loaded) return loaded.error();
  on.launch = std::move(*loaded);
  const ChosenKernel& chosen = *on.launch.loaded;
  if (command.machine.empty()) {
    if (Result<void> found = choose_machine(on); !found) return found.error();
  }
  if (const Result<void> fits = check_architecture(chosen.kernel, on.machine); !fits) {
    return fits.error();
  }
  if (command.clock_mhz > 0) set_clock(on.machine, command.clock_mhz);
  return on;
}

}  // namespace burin::jobs
