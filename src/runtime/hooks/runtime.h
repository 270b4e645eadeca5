// The engine of libburin_launch.a, shared by its C interface and by the functions that replace the
// CUDA runtime's when a program is linked with --wrap.
#pragma once

#include <atomic>

#include "runtime/engine.h"
#include "runtime/launch/launch_shape.h"

namespace burin::runtime {

// Never destroyed.
Engine& runtime_engine() noexcept;

// The engine that decides launches, or null: while the preloaded library changes launches those
// here are left as they are, and without a rational program all are.
struct LaunchEngine {
  std::atomic<Engine*> engine{nullptr};
  std::atomic<bool> none{false};  // decided: there is none
};
extern LaunchEngine launch_engine;
Engine* find_engine() noexcept;  // decides it
inline Engine* engine_for_launches() noexcept {
  Engine* const engine = launch_engine.engine.load(std::memory_order_acquire);
  if (engine != nullptr) return engine;
  return launch_engine.none.load(std::memory_order_relaxed) ? nullptr : find_engine();
}

// Set while burin_launch_kernel() calls the CUDA runtime, whose functions may be wrapped.
extern thread_local bool inside_launch;

}  // namespace burin::runtime
