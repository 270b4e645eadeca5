// Exercises mbarriers without TMA: cp.async that arrives on one when it is done, states returned by
// arrive and waited for, and a bulk reduction into memory.
#include <cstdint>

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

constexpr int kThreads = 128, kWords = 4 * kThreads;

// Each thread copies 16 bytes for another one to use; out[i] = in[i] + in[mirror of i in its tile].
__global__ void async_barrier(const std::uint32_t* in, std::uint32_t* out, int tiles) {
  __shared__ alignas(16) std::uint32_t tile[2][kWords];
  __shared__ alignas(8) std::uint64_t full[2];
  __shared__ alignas(8) std::uint64_t used;
  const int first = blockIdx.x * tiles;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&full[s])),
                   "r"(kThreads)
                   : "memory");
    }
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&used)),
                 "r"(kThreads)
                 : "memory");
  }
  __syncthreads();
  const auto fetch = [&](int t) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     shared_address(&tile[t % 2][4 * threadIdx.x])),
                 "l"(in + (first + t) * kWords + 4 * threadIdx.x)
                 : "memory");
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&full[t % 2]))
        : "memory");
  };
  fetch(0);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) fetch(t + 1);
    asm volatile(
        "{\n.reg .pred done;\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n}" ::"r"(shared_address(&full[t % 2])),
        "r"(t / 2 % 2)
        : "memory");
    for (int i = threadIdx.x; i < kWords; i += kThreads) {
      out[(first + t) * kWords + i] = tile[t % 2][i] + tile[t % 2][kWords - 1 - i];
    }
    // All have read the tile before anyone overwrites it: what arrive returns names the phase.
    std::uint64_t state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(shared_address(&used))
                 : "memory");
    asm volatile(
        "{\n.reg .pred done;\n"
        "again: mbarrier.try_wait.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n}" ::"r"(shared_address(&used)),
        "l"(state)
        : "memory");
  }
}

// A histogram: the block's bins are added to those in memory by one bulk reduction.
__global__ void bulk_add(const std::uint32_t* in, std::uint32_t* bins, int n) {
  __shared__ alignas(128) std::uint32_t counts[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&counts[in[i] % 256], 1u);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(bins),
        "r"(shared_address(counts)), "r"(static_cast<std::uint32_t>(sizeof(counts)))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
