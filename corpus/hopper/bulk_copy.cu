// Exercises cp.async.bulk in both directions with an mbarrier, and bulk groups: out = 2 in + 1.
#include <cstdint>

constexpr int kTile = 1024;

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__global__ void bulk_copy(const float* in, float* out, int n) {
  __shared__ alignas(128) float tile[kTile];
  __shared__ alignas(8) std::uint64_t full;
  const std::uint32_t barrier = shared_address(&full);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  std::uint32_t parity = 0;
  for (int first = blockIdx.x * kTile; first < n; first += gridDim.x * kTile) {
    const int count = min(kTile, n - first) / 4 * 4;  // a bulk copy moves whole 16 bytes
    const std::uint32_t bytes = count * sizeof(float);
    if (threadIdx.x == 0) {
      // The last tile's store must have read shared memory before it is written again.
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                   "r"(bytes)
                   : "memory");
      if (bytes != 0) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(shared_address(tile)),
            "l"(in + first), "r"(bytes), "r"(barrier)
            : "memory");
      }
    }
    wait(barrier, parity);
    parity ^= 1;
    for (int i = threadIdx.x; i < count; i += blockDim.x) tile[i] = 2 * tile[i] + 1;
    for (int i = count + threadIdx.x; i < min(kTile, n - first); i += blockDim.x) {
      out[first + i] = 2 * in[first + i] + 1;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0 && bytes != 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + first),
                   "r"(shared_address(tile)), "r"(bytes)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
