// Writes a Machine as the text of a machine file, which load.h reads. Entries are in the order of
// entries.h, one per line; entries without an origin are omitted.
//
//   machine.sources["dep_chain"] = "burin calibrate: chains of dependent instructions";
//   machine.classes[…].latency = 4.0;
//   machine.origins["class.fma.latency"] = {"dep_chain", 0.002};
//   std::string text = write_machine(machine);
#pragma once

#include <string>

#include "machine/machine.h"

namespace burin::machine {

std::string write_machine(const Machine& machine);

}  // namespace burin::machine
