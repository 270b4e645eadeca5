// Any text is a machine or a refusal in words, and a machine that loads is written so that it loads
// again with the same numbers.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machine/entries.h"
#include "machine/load.h"
#include "machine/write.h"

using namespace burin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<machine::Machine> machine =
      machine::parse_machine(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!machine) {
    if (machine.error().message.empty() || machine.error().message.size() > 2048) std::abort();
    return 0;
  }
  const Result<machine::Machine> again = machine::parse_machine(machine::write_machine(*machine));
  if (!again) std::abort();
  for (const machine::MachineEntry& entry : machine::machine_entries())
    if (entry.in(*again) != entry.in(*machine)) std::abort();
  return 0;
}
