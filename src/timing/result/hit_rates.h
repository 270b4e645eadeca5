// L2 hit rates supplied by the user in place of the emulated cache.
#pragma once

#include <cstdint>
#include <optional>

#include "read/program/kernel.h"
#include "timing/result/predict_options.h"

namespace burin::timing {

// Returns the hit rate given for the source line that the instruction comes from (or was inlined
// from), else the hit rate given for all accesses, else none.
std::optional<double> given_l2_hit(const read::Kernel& kernel, std::uint32_t instruction,
                                   const PredictOptions& options);

}  // namespace burin::timing
