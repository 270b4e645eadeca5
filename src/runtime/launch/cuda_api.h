// What the engine asks of CUDA. The hooks fill it in with functions of the driver or of the CUDA
// runtime; tests with their own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formula/rational/rational_program.h"
#include "runtime/launch/launch_shape.h"

namespace burin::runtime {

// What the driver says about a kernel. It is held against the rational program, because a kernel
// of the same name may come from another build.
struct KernelFacts {
  std::string name;  // mangled
  bool parameters_known = false;
  std::vector<formula::Parameter> parameters{};
  std::uint32_t registers = 0;           // per thread
  std::uint32_t shared = 0;              // static, bytes
  std::uint32_t max_threads = 0;         // per block
  std::uint32_t max_dynamic_shared = 0;  // bytes that a launch may ask for
  bool needs_cluster = false;
  std::vector<std::string> code{};  // SHA-256 of the kernel's code, one per image that has it
  bool code_complete = false;       // `code` lists every image that the kernel may be from
};

struct DeviceFacts {
  std::string name;  // "NVIDIA H200"
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t max_threads = 0;  // per block
  Extent max_block = {0, 0, 0};
  Extent max_grid = {0, 0, 0};
  std::vector<std::pair<std::string, double>> inputs{};  // hardware values by name: "sm_count", 132
};

struct CudaApi {
  enum class EventState { kPending, kReady, kFailed };

  int (*device_count)() = nullptr;  // if it is 1, device() is not asked: it is device 0
  int (*device)() = nullptr;        // ordinal of the current device; -1: unknown
  bool (*describe_kernel)(const void* kernel, KernelFacts& facts) = nullptr;
  bool (*describe_device)(int device, DeviceFacts& facts) = nullptr;
  bool (*is_capturing)(void* stream) = nullptr;

  // For refinement; null where events are not available.
  void* (*create_event)() = nullptr;
  void (*destroy_event)(void* event) = nullptr;
  bool (*record_event)(void* event, void* stream) = nullptr;
  EventState (*elapsed)(void* start, void* stop, double& us) = nullptr;
};

}  // namespace burin::runtime
