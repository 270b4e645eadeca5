#include "app/launch_on_machine.h"

#include <array>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "machine/load.h"
#include "read/compatibility.h"

namespace burin {
namespace {

// The machine that stands for an architecture where none is named.
struct DefaultMachine {
  std::uint16_t sm;
  const char* name;
};
constexpr std::array<DefaultMachine, 4> kDefaultMachines = {
    {{80, "a100"}, {86, "rtx3090"}, {89, "rtx4090"}, {90, "h200"}}};

Result<Machine> default_machine(Architecture arch) {
  for (const DefaultMachine& machine : kDefaultMachines) {
    if (machine.sm == arch.sm) return load_machine(machine.name);
  }
  return Error{"no machine is known for " + to_string(arch) + "; name one with --machine"};
}

Result<void> check_architecture(const Kernel& kernel, const Machine& machine) {
  const Architecture code = kernel.image->arch;
  if (runs_on(code, machine.arch)) return {};
  std::vector<std::string> others;
  for (const DefaultMachine& other : kDefaultMachines) {
    if (runs_on(code, {other.sm})) others.push_back(std::string("--machine ") + other.name);
  }
  return Error{fmt::format("{} is compiled for {}, which {} ({}) does not run; compile it for {}{}",
                           kernel.function->demangled, to_string(code), machine.name,
                           to_string(machine.arch), to_string(machine.arch),
                           others.empty() ? "" : " or choose " + list_of(others, others.size()))};
}

}  // namespace

Result<LaunchOnMachine> load_on_machine(PredictCommand command, Context& context) {
  LaunchOnMachine on;
  if (!command.machine.empty()) {
    Result<Machine> machine = load_machine(command.machine);
    if (!machine) return machine.error();
    on.machine = std::move(*machine);
    command.launch.source.gpu = on.machine.arch;
  }
  Result<LoadedLaunch> loaded = load_launch(command.launch, context);
  if (!loaded) return loaded.error();
  on.launch = std::move(*loaded);
  const ChosenKernel& chosen = *on.launch.loaded;
  if (command.machine.empty()) {
    Result<Machine> machine = default_machine(chosen.image.arch);
    if (!machine) return machine.error();
    on.machine = std::move(*machine);
    on.machine_assumed = true;
  }
  if (const Result<void> fits = check_architecture(chosen.kernel, on.machine); !fits) {
    return fits.error();
  }
  return on;
}

}  // namespace burin
