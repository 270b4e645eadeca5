// The minimum time that each unit with a peak throughput needs for the work of a launch. replay()
// raises a shorter prediction to this bound and adds a note.
//
//   const UnitDemand demand = unit_demand(p, code, kernel, machine, sms);
//   demand.largest()                                     // {"tensor", 912'000 cycles}
//   raise_to_bound(demand.largest(), machine, p);        // p.cycles >= 912'000 + p.launch_cycles
//
// The demand follows from counts alone (instructions, passes, bytes), not from when they happen. A
// prediction below it has lost work somewhere: in a gap of a loop that was not replayed, or in
// blocks that represent others.
#pragma once

#include <array>
#include <span>
#include <string>

#include "machine/machine.h"
#include "timing/code/timed_code.h"
#include "timing/result/prediction.h"

namespace burin::timing {

struct UnitBound {
  std::string unit{};  // a resource's name, or "tma"
  double cycles = 0;   // without the cycles to start and end the kernel
};

struct UnitDemand {
  // Cycles by machine::Resource: of one SM's units, with the work spread evenly over the SMs, and
  // of the units of the whole GPU. 0 where the resource has no peak or is not used.
  std::array<double, machine::kResources> of_sm{};
  std::array<double, machine::kResources> of_gpu{};
  double tma = 0;  // cycles of one SM's copy engine

  UnitBound largest() const;
};

// `sms` is the number of SMs that have blocks.
UnitDemand unit_demand(const Prediction& p, std::span<const TimedOp> code,
                       const read::Kernel& kernel, const machine::Machine& machine, double sms);

// Sets p.bound. If the time is shorter, it becomes that of the bound, shares of the time follow,
// and a note names the unit.
void raise_to_bound(const UnitBound& bound, const machine::Machine& machine, Prediction& p);

}  // namespace burin::timing
