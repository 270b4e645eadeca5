// Explains errors of CUPTI to the user: the cause, what is missing from the capture as a result,
// and what to do.
//
//   warn(refusal(cupti, status, "samples", "cuptiPCSamplingEnable"));
#pragma once

#include <string>

#include "capture/spool/spool.h"
#include "gpu/record/driver/cupti.h"

namespace burin::gpu {

// `missing` is what the capture will lack: "samples", "counts".
capture::SpoolProblem refusal(const Cupti& cupti, CuptiStatus status, const std::string& missing,
                              const char* call);

}  // namespace burin::gpu
