// Grids in which few blocks do the work: most leave at once, or a few run many times as long as the
// others. The kernels differ in where those few blocks are. `dense` launches of the same work, with
// the active blocks alone, tell what time to expect.

// What an active block does: it reads a chunk of its own, `steps` floats per thread.
__device__ __forceinline__ void sum_chunk(const float* __restrict__ in, float* __restrict__ out,
                                          int chunk, int steps) {
  const float* mine = in + (size_t)chunk * steps * blockDim.x;
  float sum = 0;
  for (int k = 0; k < steps; ++k) sum += mine[k * blockDim.x + threadIdx.x];
  out[chunk * blockDim.x + threadIdx.x] = sum;
}

// Flags in memory say which blocks have anything to do.
__global__ void idle_flagged(const int* __restrict__ flags, const float* __restrict__ in,
                             float* __restrict__ out, int steps) {
  if (flags[blockIdx.x] != 0) return;
  sum_chunk(in, out, blockIdx.x, steps);
}

// One block in `every` is active.
__global__ void idle_strided(const float* __restrict__ in, float* __restrict__ out, int steps,
                             int every) {
  if (blockIdx.x % every) return;
  sum_chunk(in, out, blockIdx.x / every, steps);
}

// The blocks from `first` up to `end` are active: at the start, at the end, or a band in between.
__global__ void idle_band(const float* __restrict__ in, float* __restrict__ out, int steps,
                          int first, int end) {
  if ((int)blockIdx.x < first || (int)blockIdx.x >= end) return;
  sum_chunk(in, out, blockIdx.x - first, steps);
}

// The tiles on the diagonal of a plane are active.
__global__ void idle_diagonal(const float* __restrict__ in, float* __restrict__ out, int steps) {
  if (blockIdx.x != blockIdx.y) return;
  sum_chunk(in, out, blockIdx.x, steps);
}

// One block in `every` is active, at places without a pattern, and computes.
__global__ void idle_scattered(float* __restrict__ data, int rounds, int every) {
  unsigned mixed = blockIdx.x * 2654435761u;
  mixed = (mixed ^ mixed >> 15) * 2246822519u;
  if ((mixed ^ mixed >> 13) % every) return;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = data[i];
  for (int k = 0; k < rounds; ++k) value = value * 0.9f + 0.1f * value * value;
  data[i] = value;
}

// The last blocks along an axis (0: x, 1: y, 2: z) add `times` as many rows as the others.
__global__ void long_last(const float* __restrict__ in, float* __restrict__ out, int rows, int axis,
                          int times) {
  bool last = axis == 0   ? blockIdx.x == gridDim.x - 1
              : axis == 1 ? blockIdx.y == gridDim.y - 1
                          : blockIdx.z == gridDim.z - 1;
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int mine = last ? times * rows : rows;
  float sum = 0;
  for (int k = 0; k < mine; ++k) sum += in[(k & 255) * blockDim.x + threadIdx.x] * 0.5f;
  out[block * blockDim.x + threadIdx.x] = sum;
}

// Tiles below the diagonal of a plane are active, and those further from it run longer.
__global__ void triangle_tiles(const float* __restrict__ in, float* __restrict__ out, int rows) {
  if (blockIdx.x > blockIdx.y) return;
  int block = blockIdx.x + gridDim.x * blockIdx.y;
  int mine = rows * (1 + blockIdx.y - blockIdx.x);
  float sum = 0;
  for (int k = 0; k < mine; ++k) sum += in[(k & 255) * blockDim.x + threadIdx.x] * 0.5f;
  out[block * blockDim.x + threadIdx.x] = sum;
}

// A block per row of a sparse matrix whose row lengths follow a power law; `draws` are uniform.
__global__ void power_rows(const float* __restrict__ draws, const int* __restrict__ starts,
                           const float* __restrict__ values, float* __restrict__ out, int most) {
  float root = cbrtf(draws[blockIdx.x] + 1e-6f);
  int length = min(most, (int)(16.0f / (root * root)));
  const float* mine = values + (size_t)starts[blockIdx.x] * 32;
  float sum = 0;
  for (int k = threadIdx.x; k < length; k += blockDim.x) sum += mine[k];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.x, sum);
}
