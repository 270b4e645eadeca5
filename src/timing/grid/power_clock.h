// Lowers the clock of a predicted kernel that needs all the power that the GPU may take.
//
//   slow_by_power(kernel, code, machine, p);     // p.clock_mhz, p.time_us
//
// Warpgroup MMAs of 16 bits or fewer do that once they keep the tensor cores busy most of the
// time; those of 32 bits (TF32) do half the work in a cycle and do not.
#pragma once

#include <span>

#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/code/timed_code.h"
#include "timing/result/prediction.h"

namespace burin::timing {

void slow_by_power(const read::Kernel& kernel, std::span<const TimedOp> code,
                   const machine::Machine& machine, Prediction& p);

}  // namespace burin::timing
