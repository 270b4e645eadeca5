// The PTX of the winning configurations (`burin tune --emit ptx`), for programs that load a kernel
// at run time without a compiler of their own. Above the PTX a comment has the launch:
//
//   // gemm, tuned by burin tune gemm.toml on NVIDIA H200 for n=2048: 913 µs
//   // block_size_x=16, block_size_y=8, items_x=4, items_y=4, use_shared=1
//   // gemm: grid 32,64,1, block 16,8,1, 0 bytes of dynamic shared memory
//   .version 9.0
//   .target sm_90
#pragma once

#include <string>

#include "base/result.h"
#include "jobs/tune/tune_kernel.h"

namespace burin::jobs {

// Whether winners will have PTX: a usage Error unless a spec has CUDA source and the device uses
// it.
Result<void> check_winner_ptx(const TuneRequest& request, const tune::Spec& spec);

// Compiled like the winner of the run was.
Result<std::string> winner_ptx(const TuneRequest& request, const TunedKernel& tuned,
                               const TunedRun& run);

}  // namespace burin::jobs
