// The PTX of a kernel: a .ptx file, CUDA source that is compiled to PTX, or a binary that carries
// PTX beside its machine code.
#pragma once

#include <string>

#include "base/result.h"
#include "jobs/input/load_kernel.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

struct PtxSource {
  std::string text;
  std::string kernel;     // as the PTX names it
  std::string demangled;  // as people write it
};

// Of several PTX images that hold the kernel, the newest.
Result<PtxSource> load_ptx(const KernelSource& source, const Progress& progress);

}  // namespace burin::jobs
