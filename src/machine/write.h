// A Machine to the text of a machine file, which load.h reads: every entry of entries.h in that
// order, one a line; an entry without origin is left out.
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
