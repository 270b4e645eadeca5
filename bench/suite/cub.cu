// CUB's algorithms over the whole device: `cub sort|scan|select|reduce|segments`.
#include <cub/cub.cuh>
#include <string>

#include "common.cuh"

struct Even {
  __host__ __device__ bool operator()(int value) const { return value % 2 == 0; }
};

// Runs an algorithm of CUB, which first says how much memory it needs.
template <class Algorithm>
void repeat(Algorithm algorithm) {
  std::size_t bytes = 0;
  CHECK(algorithm(nullptr, bytes));
  void* scratch = nullptr;
  CHECK(cudaMalloc(&scratch, bytes));
  for (int i = 0; i < 3; ++i) CHECK(algorithm(scratch, bytes));
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "sort";
  const int n = what == "sort" ? 1 << 20 : 1 << 21;
  Random random{51};
  std::vector<int> values(n);
  for (int& value : values) value = what == "sort" ? random.next() : random.next() & 255;
  int* in = upload(values);
  int* out = zeros<int>(n);
  int* count = zeros<int>(1);
  if (what == "sort") {
    repeat([&](void* p, std::size_t& b) { return cub::DeviceRadixSort::SortKeys(p, b, in, out, n); });
  } else if (what == "scan") {
    repeat([&](void* p, std::size_t& b) { return cub::DeviceScan::ExclusiveSum(p, b, in, out, n); });
  } else if (what == "select") {
    repeat([&](void* p, std::size_t& b) {
      return cub::DeviceSelect::If(p, b, in, out, count, n, Even{});
    });
  } else if (what == "reduce") {
    repeat([&](void* p, std::size_t& b) { return cub::DeviceReduce::Sum(p, b, in, out, n); });
  } else {
    std::vector<int> begins;
    for (int at = 0; at < n; at += 1 + random.next() % 2048) begins.push_back(at);
    begins.push_back(n);
    int* offsets = upload(begins);
    const int segments = static_cast<int>(begins.size()) - 1;
    repeat([&](void* p, std::size_t& b) {
      return cub::DeviceSegmentedReduce::Sum(p, b, in, out, segments, offsets, offsets + 1);
    });
  }
  return finish();
}
