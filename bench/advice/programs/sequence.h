// What the programs of launch sequences share: one sequence, or many of them timed.
//
//   PROGRAM             the slow sequence a few times, for a recorder to watch
//   PROGRAM fixed       the fixed one
//   PROGRAM time        both in turn, and the median time of each: {"slow_us": 512.3,
//   "fixed_us": 71.4} PROGRAM compare     whether both leave the same: {"largest_difference": 0}

#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(4);
}

inline float* filled(size_t count, unsigned seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) / 16777216.0f;
  }
  float* buffer = nullptr;
  check(cudaMalloc(&buffer, count * sizeof(float)));
  check(cudaMemcpy(buffer, values.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  return buffer;
}

// From the first launch until the GPU is done, as the program's own clock sees it.
inline double microseconds(const std::function<void()>& sequence) {
  check(cudaDeviceSynchronize());
  auto begin = std::chrono::steady_clock::now();
  sequence();
  check(cudaDeviceSynchronize());
  std::chrono::duration<double, std::micro> span = std::chrono::steady_clock::now() - begin;
  return span.count();
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// `prepare` puts the buffers back to what they were; `result` is `count` floats that both sequences
// leave.
inline int run_sequences(int argc, char** argv, const std::function<void()>& prepare,
                         const std::function<void()>& slow, const std::function<void()>& fixed,
                         const float* result, size_t count) {
  std::string what = argc > 1 ? argv[1] : "slow";
  if (what == "time") {
    std::vector<double> slow_us, fixed_us;
    for (int round = 0; round < 60; ++round) {
      prepare();
      slow_us.push_back(microseconds(slow));
      prepare();
      fixed_us.push_back(microseconds(fixed));
    }
    std::printf("{\"slow_us\": %.2f, \"fixed_us\": %.2f}\n", median(slow_us), median(fixed_us));
    return 0;
  }
  if (what == "compare") {
    std::vector<float> left(count), right(count);
    prepare();
    slow();
    check(cudaMemcpy(left.data(), result, count * sizeof(float), cudaMemcpyDeviceToHost));
    prepare();
    fixed();
    check(cudaMemcpy(right.data(), result, count * sizeof(float), cudaMemcpyDeviceToHost));
    float largest = 0;
    for (size_t i = 0; i < count; ++i) largest = std::fmax(largest, std::fabs(left[i] - right[i]));
    std::printf("{\"largest_difference\": %g}\n", largest);
    return 0;
  }
  prepare();
  for (int repeat = 0; repeat < 3; ++repeat) {
    what == "fixed" ? fixed() : slow();
    check(cudaDeviceSynchronize());
  }
  return 0;
}
