// Whether a machine's numbers can be those of a GPU. The loader refuses a file that fails; whoever
// makes a machine (burin calibrate) asks before writing it.
//
//   MachineCheck found = check_machine(machine);
//   found.missing        {"dram.latency"}
//   found.absurd         {"l1.latency is 9000 cycles, plausible is 5 to 300"}
//   found.inconsistent   {"l2.latency (700) should be less than dram.latency (600)"}
//   found.sentence()     "1 entry is missing: dram.latency"
#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"

namespace burin::machine {

struct MachineCheck {
  std::vector<std::string> missing;       // names of entries without an origin
  std::vector<std::string> unknown;       // origins of entries that entries.h does not list
  std::vector<std::string> absurd;        // outside the plausible range
  std::vector<std::string> inconsistent;  // with another entry

  bool ok() const;
  std::string sentence() const;  // the gravest of the four, up to 5 named, the rest counted
};

MachineCheck check_machine(const Machine& machine);

}  // namespace burin::machine
