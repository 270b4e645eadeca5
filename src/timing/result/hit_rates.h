// The L2 hit rates that users give in place of the emulated cache.
#pragma once

#include <cstdint>
#include <optional>

#include "timing/result/predict_options.h"

namespace burin::timing {

// That of the line an instruction comes from (or was inlined from), else the one for all, else
// none.
std::optional<double> given_l2_hit(const read::Kernel& kernel, std::uint32_t instruction,
                                   const PredictOptions& options);

}  // namespace burin::timing
