// Threads of a block, and blocks of a grid: barriers of each kind, shapes, and variables of the
// module.

// A producer and a consumer half joined by named barriers: bar.arrive and bar.sync with counts.
// Blocks of 128; the first two warps fill a buffer, the others drain it.
__global__ void producer_consumer(const int* __restrict__ in, int* __restrict__ out, int rounds) {
  __shared__ int buffer[2][64];
  int t = threadIdx.x % 64;
  bool producer = threadIdx.x < 64;
  const int* from = in + blockIdx.x * rounds * 64;
  int* to = out + blockIdx.x * rounds * 64;
  for (int r = 0; r < rounds; ++r) {
    int slot = r % 2;
    // Barriers 1, 2: buffer full. Barriers 3, 4: buffer empty.
    if (producer) {
      if (r >= 2) asm volatile("bar.sync %0, 128;" ::"r"(3 + slot) : "memory");
      buffer[slot][t] = from[r * 64 + t] * 2 + r;
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + slot) : "memory");
    } else {
      asm volatile("bar.sync %0, 128;" ::"r"(1 + slot) : "memory");
      to[r * 64 + t] = buffer[slot][63 - t] + buffer[slot][t];
      if (r + 2 < rounds) asm volatile("bar.arrive %0, 128;" ::"r"(3 + slot) : "memory");
    }
  }
}

// Barriers that reduce: __syncthreads_count, _and, _or (BAR.RED and B2R).
__global__ void barrier_votes(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  int rounds = 0, total = 0;
  // Halve until all are zero: the block leaves the loop together.
  while (__syncthreads_or(value != 0)) {
    total += __syncthreads_count(value & 1);
    if (__syncthreads_and(value < 1 << 20)) total += 1000;
    value >>= 1;
    ++rounds;
  }
  if (i < n) out[i] = total + rounds;
}

// Warps of a block synchronise in pairs (bar.sync id, 64) while others go on.
__global__ void paired_warps(const float* __restrict__ in, float* __restrict__ out, int rounds,
                             int n) {
  __shared__ float cells[256];
  int t = threadIdx.x, pair = t / 64, i = blockIdx.x * 256 + t;
  float value = i < n ? in[i] : 0.0f;
  for (int r = 0; r < rounds * (pair + 1); ++r) {
    cells[t] = value;
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    value = 0.5f * value + 0.5f * cells[t ^ 63];
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
  }
  if (i < n) out[i] = value;
}

// Blocks and grids in three dimensions: all nine special registers, an index from all of them.
__global__ void index_space(int* __restrict__ out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  unsigned lane, warp_size = warpSize;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[(z * ny + y) * nx + x] =
      block * 1000 + static_cast<int>(lane * 7 + warp_size) + x - y + 2 * z;
}

// Variables of the module: a table in global memory with initial values, one without, a counter,
// and a constant array indexed per lane.
__device__ const int kPrimes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
__device__ int scratch[256];
__constant__ float kWeights[8] = {0.5f, -1.25f, 2.0f, 0.125f, 3.5f, -0.75f, 1.0f, 0.0625f};

__global__ void module_variables(const int* __restrict__ in, float* __restrict__ out, int n) {
  int t = threadIdx.x;
  for (int base = 0; base < n; base += blockDim.x) {  // launched as one block, as scratch is shared
    int i = base + t, value = i < n ? in[i] : 0;
    scratch[t] = value * kPrimes[value % 16];
    __syncthreads();
    int other = scratch[t ^ 1];
    __syncthreads();
    if (i < n) {
      out[i] = static_cast<float>(other % 1000) * kWeights[value % 8] + kPrimes[t % 16];
    }
  }
}

// Generic addresses: one function reads through pointers to shared, global and local memory.
__device__ __noinline__ int sum_through(const int* values, int count) {
  int sum = 0;
  for (int k = 0; k < count; ++k) sum += values[k] * (k + 1);
  return sum;
}

__global__ void generic_pointers(const int* __restrict__ in, int* __restrict__ out, int n) {
  __shared__ int shared[256 + 8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int local[8];
  for (int k = 0; k < 8; ++k) local[k] = in[(i + k) % n] ^ k;
  shared[threadIdx.x] = in[i % n];
  if (threadIdx.x < 8) shared[blockDim.x + threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  const int* pointer = i % 3 == 0 ? local : i % 3 == 1 ? shared + threadIdx.x : in + i % (n - 8);
  if (i < n) out[i] = sum_through(pointer, 8);
}

// Several arrays of different types carved out of one dynamic shared allocation.
__global__ void carved_shared(const double* __restrict__ in, double* __restrict__ out, int n) {
  extern __shared__ __align__(16) unsigned char memory[];
  int count = blockDim.x, t = threadIdx.x, i = blockIdx.x * count + t;
  double* values = reinterpret_cast<double*>(memory);
  float* roots = reinterpret_cast<float*>(values + count);
  short* ranks = reinterpret_cast<short*>(roots + count);
  unsigned char* flags = reinterpret_cast<unsigned char*>(ranks + count);
  values[t] = i < n ? in[i] : 2.0;
  roots[t] = sqrtf(static_cast<float>(values[t]));
  flags[t] = values[t] < 0.5;
  __syncthreads();
  int rank = 0;
  for (int k = 0; k < count; ++k)
    rank += values[k] < values[t] || (values[k] == values[t] && k < t);
  ranks[rank] = static_cast<short>(t);
  __syncthreads();
  if (i < n) out[i] = values[ranks[t]] + roots[ranks[count - 1 - t]] * flags[t];
}
