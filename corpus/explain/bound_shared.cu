// Kernels that shared memory bounds, or the way into the memory pipe. The tables are small and read
// many times.

__device__ int thread_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// shared, throughput, no conflicts: each thread adds quarters of rows, 16 bytes a lane. Blocks of
// 256.
__global__ void row_sums(const float4* __restrict__ in, float4* __restrict__ out, int rounds) {
  __shared__ float4 tile[256 + 8];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 8) tile[256 + threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float4 sum = {};
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float4 x = tile[threadIdx.x + k];
      sum.x += x.x;
      sum.y += x.y;
      sum.z += x.z;
      sum.w += x.w;
    }
    __syncwarp();  // keeps the loads in the loop
  }
  out[thread_index()] = sum;
}

// shared, throughput, 32-way conflicts: a lane per row of an unpadded tile of 32×32 reads along it,
// in steps that the compiler does not know.
__global__ void column_walk(const float* __restrict__ in, float* __restrict__ out, int step,
                            int rounds) {
  __shared__ float tile[32][32];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i / 32][i % 32] = in[i];
  __syncthreads();
  int lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) sum += tile[lane][round * step % 32];
  out[thread_index()] = sum;
}

// shared, throughput, 4-way conflicts: records of four floats, of which one field is read.
__global__ void field_sums(const float4* __restrict__ in, float* __restrict__ out, int rounds) {
  __shared__ float4 records[256];
  records[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const float* fields = reinterpret_cast<const float*>(records);
  float a = 0, b = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      a += fields[(threadIdx.x * 4 + 4 * k) % 1024];
      b += fields[(threadIdx.x * 4 + 4 * k + 2) % 1024];
    }
    __syncwarp();
  }
  out[thread_index()] = a + b;
}

// shared, latency: a list that is walked in shared memory, from a start per warp. Blocks of 128.
__global__ void shared_list(const int* __restrict__ next, int* __restrict__ out, int count,
                            int steps) {
  extern __shared__ int list[];
  for (int i = threadIdx.x; i < count; i += blockDim.x) list[i] = next[i];
  __syncthreads();
  int at = threadIdx.x / 32;
#pragma unroll 8
  for (int step = 0; step < steps; ++step) at = list[at];
  out[thread_index()] = at;
}

// lsu, throughput: sums over warps by shuffles, which move through the memory pipe but touch no
// memory.
__global__ void warp_sums(const float* __restrict__ in, float* __restrict__ out, int rounds) {
  float value = in[threadIdx.x], total = 0;
  for (int round = 0; round < rounds; ++round) {
    float a = value + round, b = value - round;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      a += __shfl_xor_sync(0xffffffffu, a, step);
      b += __shfl_xor_sync(0xffffffffu, b, step);
    }
    total += a * b;
  }
  out[thread_index()] = total;
}

// lsu, latency: a value that is handed from lane to lane.
__global__ void hand_over(const float* __restrict__ in, float* __restrict__ out, int rounds) {
  float value = in[threadIdx.x];
#pragma unroll 16
  for (int round = 0; round < rounds; ++round) {
    value = __shfl_sync(0xffffffffu, value, (threadIdx.x + 1) % 32);
  }
  out[thread_index()] = value;
}
