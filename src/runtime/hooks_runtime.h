// The engine of libburin_launch.a, shared by its C interface and by the functions that replace the
// CUDA runtime's when a program is linked with --wrap.
#pragma once

#include "runtime/engine.h"
#include "runtime/launch_shape.h"

namespace burin::runtime {

// Never destroyed.
Engine& runtime_engine() noexcept;

// False while the preloaded library changes launches: then those here are left as they are.
bool changes_launches() noexcept;

// Set while burin_launch_kernel() calls the CUDA runtime, whose functions may be wrapped.
extern thread_local bool inside_launch;

}  // namespace burin::runtime
