// The latency of DRAM while the other SMs read: what a chain of loads takes against how much they
// get.
#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

// Block 0 walks a chain through lines that nobody else reads; the others read the rest of the pool,
// `loads` at once and then `pause` cycles of nothing, until block 0 is done. It keeps the cycles
// and the bytes that they read meanwhile: 3 words a pass.
const char* const kLoadedSource = R"(
__device__ uint4 pool[768 << 16];
__device__ u32 done;
__device__ u64 moved;
extern "C" __global__ void loaded(u32* out, u32 loads, u32 pause) {
  const u32 lines = 1 << 20;
  if (blockIdx.x == 0) {
    char* const mine = (char*)pool;
    for (u32 i = threadIdx.x; i < lines; i += blockDim.x) {
      *(u64*)(mine + (u64)i * 128) = (u64)(mine + (u64)((i * 1664525u + 1013904223u) & (lines - 1)) * 128);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0) return;
    u64 at = (u64)mine;
    for (u32 i = 0; i < 2000; ++i) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
    for (u32 pass = 0; pass < PASSES; ++pass) {
      const u64 before = atomicAdd(&moved, 0ull);
      const u32 start = clock_now();
      R64(asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");)
      R64(asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");)
      const u32 end = clock_now();
      out[pass * 3] = end - start;
      out[pass * 3 + 1] = (u32)((atomicAdd(&moved, 0ull) - before) >> 10);
      out[pass * 3 + 2] = clock_now() - start;
    }
    KEEP(out, (u32)at)
    *(volatile u32*)&done = 1;
    return;
  }
  const u64 count = (u64)(640 << 16), threads = (u64)(gridDim.x - 1) * blockDim.x;
  u64 at = (u64)(blockIdx.x - 1) * blockDim.x + threadIdx.x;
  const uint4* const in = pool + (128 << 16);
  u32 sum = 0;
  while (*(volatile u32*)&done == 0) {
    if (loads == 0) { __nanosleep(500); continue; }
    for (u32 round = 0; round < loads; ++round) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const uint4 v = __ldcg(in + at);
        sum ^= v.x ^ v.y ^ v.z ^ v.w;
        at += threads;
        if (at >= count) at -= count;
      }
    }
    const u32 start = clock_now() + (sum == 0x5eed5eedu);
    if (threadIdx.x == 0) atomicAdd(&moved, (u64)loads * 4 * 16 * blockDim.x);
    while (clock_now() - start < pause) {}
  }
  KEEP(out, sum)
}
)";

}  // namespace

std::vector<Microbenchmark> loaded_benchmarks(const GpuShape& gpu) {
  Microbenchmark micro;
  micro.name = "loaded";
  micro.what = "DRAM pointer chase while the other SMs read at varying rates";
  micro.notes_only = true;
  micro.source = kPrelude + kLoadedSource;
  for (const std::uint32_t pause :
       {0u, 500u, 1000u, 1500u, 2000u, 3000u, 4000u, 6000u, 10'000u, 20'000u, 0xffffffffu}) {
    const bool none = pause == 0xffffffffu;
    MicroLaunch launch = clocked(none ? "alone" : fmt::format("pause {}", pause), "loaded",
                                 gpu.sms * 2, 512, {u32(none ? 0 : 2), u32(none ? 0 : pause)});
    launch.output = MicroOutput::kWords;
    launch.words = kPasses * 3;
    micro.launches.push_back(launch);
  }
  return {micro};
}

}  // namespace burin::gpu
