// A microbenchmark's source to a cubin whose code is what was meant.
//
//   Result<BuiltMicro> built = build_micro(micro, gpu.arch, folder);
//   built->cubin       "/tmp/…/chase.cubin"
#pragma once

#include <string>

#include "base/result.h"
#include "gpu/micro/micro.h"

namespace burin::gpu {

struct BuiltMicro {
  std::string cubin;    // its file, in `folder`
  std::string toolkit;  // that made it: "ptxas 13.0"
};

Result<BuiltMicro> build_micro(const Microbenchmark& micro, read::Architecture arch,
                               const std::string& folder);

}  // namespace burin::gpu
