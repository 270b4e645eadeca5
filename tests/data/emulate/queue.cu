// Clusters of two blocks that take tiles from a queue, as persistent matrix products do.
#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#endif

extern "C" __global__ void tile_queue(unsigned* next, float* out, int tiles, int work) {
#if __CUDA_ARCH__ >= 900
  __shared__ int tile;
  auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  const int clusters = gridDim.x / 2;
  for (int mine = blockIdx.x / 2; mine < tiles;) {
    float x = threadIdx.x;
    for (int i = 0; i < work; ++i) x = fmaf(x, 1.0001f, 0.5f);
    out[(mine * 2 + rank) * blockDim.x + threadIdx.x] = x;
    if (rank == 0 && threadIdx.x == 0) {
      const int taken = atomicAdd(next, 1u) + clusters;
      tile = taken;
      *cluster.map_shared_rank(&tile, 1) = taken;
    }
    cluster.sync();
    mine = tile;
    cluster.sync();
  }
#endif
}

// Blocks that take tiles from a queue and wait for a bulk copy of each: one thread takes and copies.
extern "C" __global__ void copied_tiles(unsigned* next, const float* in, float* out, int tiles,
                                        int work) {
#if __CUDA_ARCH__ >= 900
  __shared__ alignas(128) float tile[256];
  __shared__ unsigned long long full;
  __shared__ int taken;
  const auto address = [](const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&full)));
  unsigned phase = 0;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) {
      taken = atomicAdd(next, 1u);
      if (taken < tiles) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(address(&full)));
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(
                address(tile)),
            "l"(in + taken * 256), "r"(address(&full))
            : "memory");
      }
    }
    __syncthreads();
    const int mine = taken;
    if (mine >= tiles) return;
    asm volatile(
        "{ .reg .pred done; again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1; @!done bra again; }" ::"r"(
            address(&full)),
        "r"(phase)
        : "memory");
    phase ^= 1;
    float x = tile[threadIdx.x];
    for (int i = 0; i < work; ++i) x = fmaf(x, 1.0001f, 0.5f);
    out[mine * 256 + threadIdx.x] = x;
  }
#endif
}
