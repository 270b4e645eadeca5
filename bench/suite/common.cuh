// What the programs of bench/suite share: checked calls, and buffers filled with reproducible data.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

// A small linear congruential generator: the same numbers on every computer.
struct Random {
  std::uint64_t state = 1;
  std::uint32_t next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(state >> 33);
  }
  float uniform() { return static_cast<float>(next() & 0xffff) / 65536.0f; }
};

template <class T>
T* upload(const std::vector<T>& values) {
  T* device = nullptr;
  CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <class T>
T* zeros(std::size_t count) {
  T* device = nullptr;
  CHECK(cudaMalloc(&device, count * sizeof(T)));
  CHECK(cudaMemset(device, 0, count * sizeof(T)));
  return device;
}

// Values of few bits, so that a capture with memory stays small.
inline std::vector<float> small_floats(std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.next() & 15) / 16.0f;
  return values;
}

inline int finish() {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::puts("done");
  return 0;
}
