// Compiles the source of a microbenchmark and checks that the cubin contains the intended code.
//
//   Result<BuiltMicro> built = build_micro(micro, gpu.arch, folder);
//   built->cubin       "/tmp/…/chase.cubin"
#pragma once

#include <string>

#include "base/result.h"
#include "gpu/micro/micro.h"

namespace burin::gpu {

struct BuiltMicro {
  std::string cubin;    // path of the cubin file, in `folder`
  std::string toolkit;  // the compiler: "ptxas 13.0"
};

Result<BuiltMicro> build_micro(const Microbenchmark& micro, read::Architecture arch,
                               const std::string& folder);

}  // namespace burin::gpu
