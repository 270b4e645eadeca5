// The GPUs that burin knows, for `burin machines`: a list, one with all its numbers, or several
// side by side.
//
//   machine   arch    SMs     clock       L2     memory  bandwidth  own numbers  title
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

// The first is what the others are compared with. At least two.
void write_machine_comparison(Output& out, std::span<const machine::Machine> machines);

// Schema burin.machines/1; `entries`: with all numbers, else only what the list shows.
void write_machines_json(Output& out, std::span<const machine::Machine> machines, bool entries);

}  // namespace burin::report
