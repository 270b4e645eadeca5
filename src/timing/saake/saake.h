// The paper's model (`--model saake`): abstract kernel emulation as published, over the blocks that
// one SM holds, for comparison with burin's own.
//
//   Result<Prediction> p = predict_saake(kernel, launch, machine, {.l2_hit = 0.6});
//
// What goes where:
//   - the warps' instructions, their addresses and their trip counts come from executing the blocks
//     of one SM (trace_source.h), where the paper's authors gave some of them by hand;
//   - an instruction waits for those whose registers it reads, not for its control code;
//   - a class of instructions takes its unit of one scheduler; shared memory takes a request for
//     each pass over its banks; global and local memory one for each 32-byte sector, of the DRAM
//     bandwidth that is one SM's share;
//   - with a hit rate, an access goes to the L2 cache with that probability, else to DRAM; without
//     one all go to DRAM. The draw is by a generator of fixed seed: the result is always the same;
//   - a block's barrier holds its warps until all that they have issued is finished;
//   - time = time of the SM's blocks × blocks / (blocks of the SM × SMs), not rounded up, but at
//     least once. Starting the kernel counts nothing.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/result/predict_options.h"
#include "timing/result/prediction.h"

namespace burin::timing {

// Longer traces are cut to this many warp instructions, every warp's to the same share; the time
// counts for the whole, and a note says so.
inline constexpr std::uint64_t kMaxAbstractSteps = 2'000'000;

Result<Prediction> predict_saake(const read::Kernel& kernel, const launch::Launch& launch,
                                 const machine::Machine& machine, const PredictOptions& options);

}  // namespace burin::timing
