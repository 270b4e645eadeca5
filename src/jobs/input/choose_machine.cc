#include "jobs/input/choose_machine.h"

#include <array>
#include <cctype>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "machine/load.h"
#include "read/compatibility.h"

namespace burin::jobs {
namespace {

struct DefaultMachine {
  std::uint16_t sm;
  const char* name;
};
constexpr std::array<DefaultMachine, 4> kDefaultMachines = {
    {{80, "a100"}, {86, "rtx3090"}, {89, "rtx4090"}, {90, "h200"}}};

// "NVIDIA GeForce RTX 4090" -> "nvidiageforcertx4090", which has the machine's name in it. Of
// several names the longest is meant: a100_pcie_40gb before a100.
std::string letters(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return text;
}

}  // namespace

Result<machine::Machine> machine_of_gpu(const std::string& name, read::Architecture arch,
                                        std::uint32_t multiprocessors, bool& is_assumed) {
  const std::optional<machine::Machine> machine = machine_named(name);
  is_assumed = !machine || machine->arch.sm != arch.sm || machine->sm.count != multiprocessors;
  if (is_assumed) return default_machine(arch);
  return *machine;
}

std::optional<machine::Machine> machine_named(const std::string& gpu) {
  const std::string wanted = letters(gpu);
  std::string best;
  for (const std::string& known : machine::known_machines()) {
    if (wanted.find(letters(known)) == std::string::npos) continue;
    if (known.size() > best.size()) best = known;
  }
  if (best.empty()) return std::nullopt;
  const Result<machine::Machine> machine = machine::load_machine(best);
  return machine ? std::optional(*machine) : std::nullopt;
}

Result<machine::Machine> default_machine(read::Architecture arch) {
  for (const DefaultMachine& machine : kDefaultMachines) {
    if (machine.sm == arch.sm) return machine::load_machine(machine.name);
  }
  return Error{"no machine file for " + read::to_string(arch) + "; select one with --machine"};
}

Result<void> check_architecture(const read::Kernel& kernel, const machine::Machine& machine) {
  const read::Architecture code = kernel.image->arch;
  if (read::runs_on(code, machine.arch)) return {};
  std::vector<std::string> others;
  for (const DefaultMachine& other : kDefaultMachines) {
    if (read::runs_on(code, {other.sm})) others.emplace_back(other.name);
  }
  return Error{fmt::format(
      "{} is compiled for {} and cannot run on {} ({}); compile it for {}{}",
      kernel.function->demangled, read::to_string(code), machine.name,
      read::to_string(machine.arch), read::to_string(machine.arch),
      others.empty() ? "" : fmt::format(" or select --machine {}", fmt::join(others, " or ")))};
}

}  // namespace burin::jobs
