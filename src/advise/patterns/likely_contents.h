// What memory may have held that nobody recorded, by the way the kernel uses it. Times depend on
// values less than results do: where floats are added up, any floats will do, and any numbers where
// they are hashed or compared.
//
//   std::optional<Launch> likely = likely_launch(kernel, launch, machine, options);
//   Study::open(kernel, likely ? *likely : launch, machine, options);
//
// Floats are uniform in [0,1), bytes and integers uniform. Integers that become addresses stay
// below the number of elements that they choose among, and those that are asked to be 0, 1 or 2 are
// one of these; two neighbours that bound a loop are row pointers, whose rows fill what they point
// into. What atomics add to begins with zeros.
#pragma once

#include <optional>
#include <vector>

#include "advise/case/finding.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/predict.h"

namespace burin::advise {

// `launch` with something in every buffer that the kernel reads and that a capture has no contents
// for; nothing where there is none. The kernel has dependences. Blocks are executed to see that
// integers which nobody knows lead to memory that is there.
std::optional<launch::Launch> likely_launch(const read::Kernel& kernel,
                                            const launch::Launch& launch,
                                            const machine::Machine& machine,
                                            const timing::PredictOptions& options);

// Bytes of the buffer that the pointer at this offset of the parameters points into; 0: of none.
double buffer_bytes(const launch::Launch& launch, const read::Function& function,
                    std::uint32_t parameter);

// Estimates by emulation that rest on such contents are less sure, and say what they rest on.
void note_made_up_contents(std::vector<Finding>& findings);

}  // namespace burin::advise
