// What do loads from constant memory cost that walk through more of it than the constant cache holds? Every
// warp reads one float4 per trip of a loop, the same for all its lanes, and computes with it.
//
//   nvcc -arch=sm_90 -O3 -o constant_stream bench/calibration/constant_stream.cu && ./constant_stream
//
// A row: how the index is computed (uniform: one register for the warp; vector: a register per lane), the
// arithmetic instructions for each load, the bytes that the loop walks through before it begins again, the
// threads of a block, how far ahead of the SM's previous block each block starts (in float4), and for 4 to 64
// warps on each SM the cycles of a trip and, behind a slash, how far apart the first and the last warp of an SM
// ended, in percent.
//
// On an H200 (bench/calibration/results/constant_stream.h200.txt) loads with one register for the warp are as fast
// as the others as long as the warps of a scheduler read the same few lines. Apart from each other, every load of
// every warp takes about 26 cycles of the SM, one after the other, even where all of the table fits in the cache.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

struct Seen {
  unsigned sm;
  long long begin, end;
};

__constant__ float4 table[4096];  // 64 KiB

constexpr int kSms = 132;  // of an H200; block b runs on an SM together with b + 132, b + 264, …

template <int arithmetic, bool vector>
__global__ void walk(Seen* seen, int mask, int trips, int ahead, int zero) {
  const int first = (vector ? static_cast<int>(threadIdx.x) * zero : 0) + blockIdx.x / kSms * ahead;
  float sum[4] = {0, 1, 2, static_cast<float>(threadIdx.x)};
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
    const float4 v = table[(t + first) & mask];
#pragma unroll
    for (int k = 0; k < arithmetic; ++k) sum[k % 4] = sum[k % 4] * v.x + (k % 3 == 0 ? v.y : k % 3 == 1 ? v.z : v.w);
  }
  const long long end = clock64();
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sum[0] + sum[1] + sum[2] + sum[3] == 12345.678f) seen[0].sm = 1;  // never: the loop must stay
  if (threadIdx.x % 32 == 0) seen[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {sm, begin, end};
}

template <int arithmetic, bool vector>
void row(int bytes, int threads, int ahead, Seen* seen) {
  std::printf("%-8s %3d %6d %4d %3d ", vector ? "vector" : "uniform", arithmetic, bytes, threads, ahead);
  const int trips = 4096;
  for (const int warps : {4, 8, 16, 24, 32, 40, 48, 64}) {
    const int blocks_per_sm = warps * 32 / threads;
    if (blocks_per_sm < 1 || blocks_per_sm > 32 || blocks_per_sm * threads != warps * 32) {
      std::printf("     -     ");
      continue;
    }
    const int blocks = blocks_per_sm * kSms;
    for (int twice = 0; twice < 2; ++twice) {
      walk<arithmetic, vector><<<blocks, threads>>>(seen, bytes / 16 - 1, trips, ahead, 0);
    }
    std::vector<Seen> all(static_cast<size_t>(blocks) * threads / 32);
    cudaMemcpy(all.data(), seen, sizeof(Seen) * all.size(), cudaMemcpyDeviceToHost);
    long long begin = all[0].begin, end = all[0].end, earliest = end;
    int here = 0;
    for (const Seen& s : all) {
      if (s.sm != all[0].sm) continue;
      ++here;
      begin = std::min(begin, s.begin);
      end = std::max(end, s.end);
      earliest = std::min(earliest, s.end);
    }
    const double time = static_cast<double>(end - begin);
    std::printf(" %7.1f/%2.0f%c", time / trips, 100 * static_cast<double>(end - earliest) / time, here == warps ? ' ' : '!');
  }
  std::printf(" %s\n", cudaGetErrorString(cudaGetLastError()));
}

template <int arithmetic>
void rows(Seen* seen) {
  for (const int bytes : {1024, 2048, 16384, 65536}) {
    for (const int threads : {32, 64, 256, 1024}) {
      row<arithmetic, true>(bytes, threads, 0, seen);
      for (const int ahead : {0, 1, 4, 16, 64}) row<arithmetic, false>(bytes, threads, ahead, seen);
    }
  }
}

int main() {
  Seen* seen = nullptr;
  cudaMalloc(&seen, sizeof(Seen) * 132 * 64);
  std::vector<float4> values(4096, float4{0.5f, 0.25f, 1, 2});
  cudaMemcpyToSymbol(table, values.data(), sizeof(float4) * values.size());
  std::printf("index  arith  bytes threads ahead  4        8        16       24       32       40       48       64 warps per SM\n");
  rows<2>(seen);
  rows<32>(seen);
  return 0;
}
