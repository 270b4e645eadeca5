// Checks whether a machine's numbers are plausible for a GPU. The loader rejects a file that fails;
// code that creates a machine (burin calibrate) checks it before writing it.
//
//   MachineCheck found = check_machine(machine);
//   found.missing        {"dram.latency"}
//   found.absurd         {"l1.latency is 9000 cycles, plausible is 5 to 300"}
//   found.inconsistent   {"l2.latency (700) must be less than dram.latency (600)"}
//   found.sentence()     "1 entry is missing: dram.latency"
#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"

namespace burin::machine {

struct MachineCheck {
  std::vector<std::string> missing;       // names of entries without an origin
  std::vector<std::string> unknown;       // names with an origin that entries.h does not list
  std::vector<std::string> absurd;        // entries outside the plausible range
  std::vector<std::string> inconsistent;  // entries that contradict another entry

  bool ok() const;
  std::string sentence() const;  // the most serious of the four kinds, naming up to 5 entries and
                                 // counting the rest
};

MachineCheck check_machine(const Machine& machine);

}  // namespace burin::machine
