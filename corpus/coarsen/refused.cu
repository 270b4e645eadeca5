// Kernels that must not be coarsened along the axes that launches.json names, each for its own reason.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cstdint>

// Threads beyond the end have left when the others meet at the barrier.
__global__ void barrier_after_return(const int* __restrict__ in, int* __restrict__ out, int n) {
  __shared__ int cells[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  cells[threadIdx.x] = in[i];
  __syncthreads();
  int partner = threadIdx.x ^ 1;
  out[i] = i - threadIdx.x + partner < n ? cells[partner] : 0;
}

// One thread per warp waits for a lock before it adds to an ordinary word.
__global__ void spin_lock(const int* __restrict__ in, volatile int* sum, int* lock) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  sum[0] = sum[0] + in[i];
  sum[1] = sum[1] + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// The same lock without volatile accesses: only the loop tells that a thread waits for another.
__global__ void swap_lock(const int* __restrict__ in, int* sum, int* lock) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  atomicAdd(sum, in[i]);
  atomicExch(lock, 0);
}

// Each block waits for the sum of the block before it.
__global__ void wait_for_flag(const int* __restrict__ in, volatile int* totals, volatile int* ready) {
  __shared__ int sum;
  int t = threadIdx.x, b = blockIdx.x;
  if (t == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[b * 64 + t]);
  __syncthreads();
  if (t == 0) {
    int before = 0;
    if (b > 0) {
      while (ready[b - 1] == 0) {
      }
      __threadfence();
      before = totals[b - 1];
    }
    totals[b] = before + sum;
    __threadfence();
    ready[b] = 1;
  }
}

// All blocks meet at a grid-wide barrier.
__global__ void grid_wide_barrier(const int* __restrict__ in, volatile int* out) {
  auto grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  out[i] = in[i] * 3;
  grid.sync();
  int other = out[n - 1 - i];
  grid.sync();
  out[i] = other + 1;
}

// The old warp-synchronous end of a reduction: volatile shared memory instead of barriers.
__global__ void volatile_warp_sum(const int* __restrict__ in, int* __restrict__ sums) {
  __shared__ volatile int cells[64 + 32];
  int t = threadIdx.x;
  cells[t] = in[blockIdx.x * 64 + t];
  if (t < 32) cells[64 + t] = 0;
  __syncthreads();
  if (t < 32) {
    cells[t] += cells[t + 32];
    cells[t] += cells[t + 16];
    cells[t] += cells[t + 8];
    cells[t] += cells[t + 4];
    cells[t] += cells[t + 2];
    cells[t] += cells[t + 1];
    if (t == 0) sums[blockIdx.x] = cells[0];
  }
}

// cp.async: the thread that issued a copy waits for it.
__global__ void asynchronous_copy(const float4* __restrict__ in, float4* __restrict__ out) {
  __shared__ float4 cells[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  __pipeline_memcpy_async(&cells[t], &in[i], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = cells[63 - t];
}

// Measures its own time.
__global__ void timed_loop(const int* __restrict__ in, long long* __restrict__ cycles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long begin = clock64();
  int value = in[i];
  for (int k = 0; k < 10; ++k) value = value * 5 + 1;
  cycles[i] = clock64() - begin + (value == 12345);
}

// Writes %warpid, which the hardware assigns.
__global__ void warp_numbers(unsigned* __restrict__ out) {
  unsigned number;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(number));
  out[blockIdx.x * blockDim.x + threadIdx.x] = number;
}

// An mbarrier in shared memory that expects every thread of the block.
__global__ void arrival_barrier(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int cells[64];
  __shared__ alignas(8) std::uint64_t arrivals;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(&arrivals));
  if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(address) : "memory");
  __syncthreads();
  cells[t] = in[i];
  std::uint64_t state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
  int done = 0;
  while (!done) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "mbarrier.test_wait.shared::cta.b64 p, [%1], %2;\n"
        "selp.b32 %0, 1, 0, p;\n"
        "}"
        : "=r"(done)
        : "r"(address), "l"(state)
        : "memory");
  }
  out[i] = cells[63 - t];
}

// Which lanes are together depends on how the hardware schedules them.
__global__ void active_lanes(const int* __restrict__ in, unsigned* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = 0;
  if (in[i] % 3 == 0) mask = __activemask();
  out[i] = mask;
}

// Takes memory from the device's heap.
__global__ void heap_blocks(const int* __restrict__ in, int* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, count = 1 + in[i] % 4;
  int* values = static_cast<int*>(malloc(count * sizeof(int)));
  for (int k = 0; k < count; ++k) values[k] = in[i] + k;
  int sum = 0;
  for (int k = 0; k < count; ++k) sum += values[k];
  free(values);
  out[i] = sum;
}
