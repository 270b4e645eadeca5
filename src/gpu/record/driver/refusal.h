// What CUPTI's refusals mean, in words: who refuses, what is missing from the capture for it, and
// what to do.
//
//   tell(refusal(cupti, status, "samples", "cuptiPCSamplingEnable"));
#pragma once

#include <string>

#include "capture/spool/spool.h"
#include "gpu/record/driver/cupti.h"

namespace burin::gpu {

// `missing` is what there is none of now: "samples", "counts".
capture::SpoolProblem refusal(const Cupti& cupti, CuptiStatus status, const std::string& missing,
                              const char* call);

}  // namespace burin::gpu
