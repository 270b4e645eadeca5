// Whose warps does a scheduler take first? Equal blocks, more of them than fill a scheduler, and when
// they begin and end there, in cycles. Then unequal ones, and at which scheduler of an SM they begin.
//
//   nvcc -arch=sm_90 -O3 -o issue_order bench/calibration/issue_order.cu && ./issue_order
//
// On an H200 (bench/calibration/results/issue_order.h200.txt) the blocks that began first end as if they were
// alone, the others after them; the warps of one block end together. Blocks go round the schedulers in
// turn, whichever of them have ended.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

struct Seen {
  unsigned sm, warp;
  long long begin, end;
};

enum Kind { kArithmetic, kShared, kL1, kL2 };

template <Kind kind>
__global__ void loop(Seen* seen, int trips, bool equal, const float* data, int mask) {
  __shared__ float tile[32];
  if (threadIdx.x < 32) tile[threadIdx.x] = 1;
  __syncthreads();
  const long long begin = clock64();
  const unsigned number = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float a = threadIdx.x;
  int at = (number * 8192 + threadIdx.x % 32) & mask;
  if (!equal) trips *= 1 + (blockIdx.x * 2654435761u >> 28);
  for (int i = 0; i < trips; ++i) {
#pragma unroll
    for (int k = 0; k < 32; ++k) a = a * 1.0001f + 0.5f;
    if (kind == kShared) a += tile[(threadIdx.x + i) & 31];
    if (kind == kL1) a += __ldca(data + (at & 1023));
    if (kind == kL2) a += __ldcg(data + at);
    at = (at + 32 * 977) & mask;
  }
  unsigned sm, warp;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  if (a == 12345.678f) seen[0].sm = 1;  // never: the loop must stay
  if (threadIdx.x % 32 == 0) seen[number] = {sm, warp, begin, clock64()};
}

template <Kind kind>
void show(const char* name, int blocks, int threads, Seen* seen, const float* data) {
  std::vector<Seen> all(static_cast<size_t>(blocks) * threads / 32);
  for (int twice = 0; twice < 2; ++twice) {
    loop<kind><<<blocks, threads>>>(seen, 300, true, data, (1 << 20) - 1);
  }
  cudaMemcpy(all.data(), seen, sizeof(Seen) * all.size(), cudaMemcpyDeviceToHost);
  std::printf("%s, %d blocks of %d threads: %s\n ", name, blocks, threads, cudaGetErrorString(cudaGetLastError()));
  long long first = all[0].begin;
  for (const Seen& s : all)
    if (s.sm == all[0].sm) first = std::min(first, s.begin);
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].sm != all[0].sm || all[i].warp % 4 != 0) continue;  // one scheduler
    std::printf(" %zu: %lld to %lld", i / (threads / 32), all[i].begin - first, all[i].end - first);
  }
  std::printf("\n");
}

void show_places(int blocks, int threads, Seen* seen, const float* data) {
  std::vector<Seen> all(static_cast<size_t>(blocks) * threads / 32);
  loop<kArithmetic><<<blocks, threads>>>(seen, 20, false, data, (1 << 20) - 1);
  cudaMemcpy(all.data(), seen, sizeof(Seen) * all.size(), cudaMemcpyDeviceToHost);
  std::printf("schedulers of an SM's blocks of %d threads, in order:", threads);
  for (size_t i = 0; i < all.size(); i += threads / 32) {
    if (all[i].sm == all[0].sm) std::printf(" %u", all[i].warp % 4);
  }
  std::printf("\n");
}

int main() {
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  Seen* seen;
  float* data;
  cudaMalloc(&seen, sizeof(Seen) << 18);
  cudaMalloc(&data, 4 << 20);
  cudaMemset(data, 0, 4 << 20);
  show<kArithmetic>("arithmetic", 1, 1024, seen, data);
  show<kArithmetic>("arithmetic", sms * 8, 128, seen, data);
  show<kArithmetic>("arithmetic", sms * 2, 1024, seen, data);
  show<kShared>("shared memory", sms * 8, 128, seen, data);
  show<kL1>("L1", sms * 8, 128, seen, data);
  show<kL2>("L2", sms * 8, 128, seen, data);
  for (const int threads : {32, 64, 96, 128, 256}) {
    show_places(sms * 2560 / threads, threads, seen, data);
  }
}
