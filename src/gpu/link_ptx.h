// Compiles PTX to a cubin for an open GPU, with the compiler inside the driver.
//
//   if (is_ptx(bytes)) {
//     Attempt<std::vector<std::uint8_t>> cubin = link_ptx(gpu, bytes);
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "gpu/attempt.h"
#include "gpu/context.h"

namespace burin::gpu {

// True for text that has a .version directive, as every PTX file must.
bool is_ptx(Bytes program);

// The Error of FailureKind::kCompile has the first lines of the compiler's messages.
Attempt<std::vector<std::uint8_t>> link_ptx(const GpuContext& gpu, Bytes ptx);

}  // namespace burin::gpu
