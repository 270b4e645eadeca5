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
