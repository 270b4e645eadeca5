// The GPUs that burin knows, for `burin machines`: a list, one machine with all its values, or
// several machines side by side.
//
//   machine   arch    SMs     clock       L2     memory  bandwidth   own values  title
//   a100      sm_80   108  1410 MHz   40 MiB     80 GiB  1769 GB/s    66 of 132  NVIDIA A100 …
//
//   entry                  value  unit         spread  source    meaning
//   l1.latency                32  cycles        0.1 %  l1_chase  of a hit, from issue to use
//
//   entry              unit             h200       a100  a100/h200
//   l1.latency         cycles             32       36.2       1.13
#pragma once

#include <span>

#include "machine/machine.h"
#include "report/write/output.h"

namespace burin::report {

void write_machine_list(Output& out, std::span<const machine::Machine> machines);
void write_machine_entries(Output& out, const machine::Machine& machine);

// Compares the other machines with the first one. Needs at least two machines.
void write_machine_comparison(Output& out, std::span<const machine::Machine> machines);

// Writes schema burin.machines/1. `entries`: include all values, else only those of the list.
void write_machines_json(Output& out, std::span<const machine::Machine> machines, bool entries);

}  // namespace burin::report
