// Cooperative groups: tiles, clusters, the grid, memcpy_async, and barriers and pipelines of
// libcu++.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

__global__ void tiles(const float* in, float* out, int n) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  float sum = 0;
  for (int i = block.thread_rank(); i < n; i += block.size()) sum += in[i];
  sum = cg::reduce(tile, sum, cg::plus<float>());
  const int order = cg::exclusive_scan(tile, static_cast<int>(tile.thread_rank()));
  if (cg::coalesced_threads().thread_rank() == 0) out[tile.meta_group_rank()] = sum + order;
  if (const auto labelled = cg::labeled_partition(tile, in[0] > 0); labelled.size() > 3) out[9] = 1;
}

__global__ void whole_grid(float* a, int n) {
  const auto grid = cg::this_grid();
  for (int step = 0; step < 4; ++step) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) a[i] += a[(i + 1) % n];
    grid.sync();
  }
}

__global__ void copied(const float* in, float* out) {
  __shared__ float tile[256];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);
  cg::wait(block);
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void staged(const float* in, float* out, int n) {
  __shared__ float tile[2][256];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int i = 0; i < n; ++i) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, tile[i % 2], in + i * 256, sizeof tile[0], pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    out[i * 256 + threadIdx.x] = tile[i % 2][255 - threadIdx.x];
    pipeline.consumer_release();
    barrier.arrive_and_wait();
  }
}

#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) neighbours(float* out) {
  __shared__ float mine;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = blockIdx.x;
  cluster.sync();
  out[threadIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
  cluster.sync();
}
#endif
