// The winning configurations, for the program that uses them.
//
// A C++ header, to be included by the program and by the kernel:
//
//   #include "gemm_tuned.h"
//   const gemm_tuned::Entry* entry = gemm_tuned::find("NVIDIA H200", 4096);
//   entry->config.block_size_x                         // at run time
//   gemm_tuned::nvidia_h200_n_4096::block_size_x       // a constant, for template arguments
//
// In the kernel's source, the tunable parameters of entry 0 as macros, as they were when the kernel
// was tuned (nvcc -DGEMM_TUNED=0, NVRTC and OpenCL likewise):
//
//   #define GEMM_TUNED 0
//   #include "gemm_tuned.h"
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formula/expression.h"
#include "tune/space/space.h"

namespace burin::tune {

// The winner for one device and problem size.
struct WinningConfig {
  std::string device{};
  formula::Names problem_size{};
  Point point{};
  double time_us = 0;
  std::optional<double> confidence{};  // as in Final
};

struct WinningConfigs {
  std::string kernel{};
  std::string made_by{};  // "burin 0.9, gemm.session", for the comment
  std::span<const Parameter> parameters{};
  std::vector<WinningConfig> winners{};  // with the same names of problem sizes
};

std::string winners_header(const WinningConfigs& winners);

// {"schema": "burin.tuned/1", "kernel", "tuned": [{"device", "problem_size", "config", "time_us",
// "confidence"}]}
std::string winners_json(const WinningConfigs& winners);

}  // namespace burin::tune
