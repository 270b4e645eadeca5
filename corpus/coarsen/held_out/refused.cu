// Kernels that must not be coarsened along the axes that launches.json names, each for its own reason.
#include <cooperative_groups.h>
#include <mma.h>
#include <cstdio>

// Half of the warps meet at one barrier instruction and half at another.
__global__ void barrier_in_branch(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int cells[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (t < 64) {
    cells[t] = in[i] * 2;
    __syncthreads();
    out[i] = cells[t + 64];
  } else {
    cells[t] = in[i] * 3;
    __syncthreads();
    out[i] = cells[t - 64];
  }
}

// A warp's product of 16×16 matrices: the fragments lie across its lanes.
__global__ void tensor_product(const __half* a, const __half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b + blockIdx.x * 256, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c + blockIdx.x * 256, sum, 16, mem_row_major);
}

// Writes on which multiprocessor each thread ran.
__global__ void multiprocessor_numbers(unsigned* __restrict__ out) {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  out[blockIdx.x * blockDim.x + threadIdx.x] = number;
}

// Prints from some threads.
__global__ void printed_values(const int* __restrict__ in, int* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
  if (in[i] > 90) printf("%d: %d\n", i, in[i]);
}

// Pairs of warps meet at barriers of their own, which count 64 threads.
__global__ void named_barriers(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int cells[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t, pair = t / 64;
  cells[t] = in[i];
  asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
  out[i] = cells[t ^ 32];
}

// Two blocks of a cluster read each other's shared memory.
__global__ void __cluster_dims__(2, 1, 1) cluster_exchange(const int* __restrict__ in,
                                                           int* __restrict__ out) {
  __shared__ int cells[64];
  auto cluster = cooperative_groups::this_cluster();
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  cells[t] = in[i];
  cluster.sync();
  const int* other = cluster.map_shared_rank(cells, cluster.block_rank() ^ 1);
  out[i] = other[63 - t];
  cluster.sync();
}
