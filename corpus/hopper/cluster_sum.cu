// Exercises distributed shared memory: the blocks of a cluster add up their sums through it.
#include <cooperative_groups.h>

#include <cstdint>

namespace cg = cooperative_groups;

// out[c] is the sum of the integers that cluster c was given, out[clusters + block] the block's
// own.
__global__ void cluster_sum(const std::uint32_t* in, std::uint32_t* out, int n) {
  __shared__ std::uint32_t partial[32];
  __shared__ std::uint32_t sum;
  cg::cluster_group cluster = cg::this_cluster();
  std::uint32_t mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    mine += in[i];
  }
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint32_t total = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) total += partial[w];
    sum = total;
  }
  cluster.sync();
  const unsigned clusters = gridDim.x / cluster.num_blocks();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    std::uint32_t total = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
      total += *cluster.map_shared_rank(&sum, rank);
    }
    out[blockIdx.x / cluster.num_blocks()] = total;
  }
  if (threadIdx.x == 0) out[clusters + blockIdx.x] = sum;
  cluster.sync();  // nobody's shared memory goes before it is read
}

// A histogram over the shared memory of the whole cluster: each block keeps its part of the bins,
// and all blocks of the cluster count into them.
__global__ void cluster_histogram(const std::uint32_t* in, std::uint32_t* bins, int n,
                                  int bins_per_block) {
  extern __shared__ std::uint32_t counts[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) counts[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const std::uint32_t bin = in[i] % (bins_per_block * cluster.num_blocks());
    atomicAdd(cluster.map_shared_rank(counts, bin / bins_per_block) + bin % bins_per_block, 1u);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) {
    atomicAdd(&bins[cluster.block_rank() * bins_per_block + i], counts[i]);
  }
}
