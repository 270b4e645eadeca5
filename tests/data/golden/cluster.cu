// A cluster of two blocks that read each other's shared memory, and a fixed block size.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) exchange(const int* in, int* out) {
  __shared__ int mine[128];
  cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  cluster.sync();
  int* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  atomicAdd(&theirs[127 - threadIdx.x], 1);
  cluster.sync();
  out[blockIdx.x * 128 + threadIdx.x] = mine[threadIdx.x];
}

__global__ void __block_size__((64, 2, 1)) fixed_block(int* out) {
  out[threadIdx.y * 64 + threadIdx.x] = __popc(__ballot_sync(~0u, threadIdx.x & 5));
}
