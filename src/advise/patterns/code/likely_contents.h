// Plausible contents for memory that was not recorded, chosen from the way the kernel uses it.
// Times depend on values less than results do: any floats will do for a sum, and any numbers for
// hashing or comparing.
//
//   std::optional<Launch> likely = likely_launch(kernel, launch, machine, options);
//   Study::open(kernel, likely ? *likely : launch, machine, options);
//
// Floats are uniform in [0,1); bytes and integers are uniform. Integers that become addresses stay
// below the number of elements that they index. Integers compared with 0, 1 or 2 have one of these
// values. Two adjacent integers that bound a loop are row pointers, whose rows fill the array that
// they point into. Targets of atomic additions start at zero.
#pragma once

#include <optional>
#include <vector>

#include "advise/case/finding.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/predict.h"

namespace burin::advise {

// Returns `launch` with contents for every buffer that the kernel reads and that the capture has no
// contents for; empty if there is no such buffer. The kernel must have dependences. Blocks are
// executed to check that invented integers lead to addresses inside allocated memory.
std::optional<launch::Launch> likely_launch(const read::Kernel& kernel,
                                            const launch::Launch& launch,
                                            const machine::Machine& machine,
                                            const timing::PredictOptions& options);

// Returns the bytes of the buffer that the pointer at this parameter offset points into; 0: no
// buffer.
double buffer_bytes(const launch::Launch& launch, const read::Function& function,
                    std::uint32_t parameter);

// Lowers the confidence of emulated estimates that rest on invented contents, and notes it in them.
void note_made_up_contents(std::vector<Finding>& findings);

}  // namespace burin::advise
