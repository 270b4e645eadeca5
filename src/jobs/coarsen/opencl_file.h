// `burin coarsen FILE.cl`. Internal to jobs/coarsen/.
#pragma once

#include "base/result.h"
#include "jobs/coarsen/coarsen_kernel.h"

namespace burin::jobs {

Result<CoarsenedKernel> coarsen_opencl_file(const CoarsenRequest& request,
                                            const coarsen::LaunchShape& launch);

}  // namespace burin::jobs
