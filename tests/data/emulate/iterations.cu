// Loops whose iterations follow one another in different ways, and tiles that threads or blocks
// have for themselves.

// One element of each of two arrays per iteration, in steps of the block; nothing is stored.
extern "C" __global__ void weighted(const float* __restrict__ values,
                                    const float* __restrict__ weights, float* __restrict__ sums,
                                    int count) {
  float sum = 0;
  for (int k = threadIdx.x; k < count; k += blockDim.x) {
    sum += values[blockIdx.x * count + k] * weights[k];
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A walk of random steps: each needs the one before.
extern "C" __global__ void walk(float* __restrict__ ends, float drop) {
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 22695477u + 1u, steps = 0;
  float weight = 1, place = 0;
  while (weight > 0.01f) {
    state = state * 22695477u + 12345u;
    place += __log2f((state >> 9) * 1e-6f + 1e-3f) * weight;
    weight *= drop;
    ++steps;
  }
  ends[blockIdx.x * blockDim.x + threadIdx.x] = place + steps;
}

// Rows of a table of distances: a row of 40 in registers, and a number that counts by one.
extern "C" __global__ void distances(const int* __restrict__ first, const int* __restrict__ second,
                                     int* __restrict__ out, int length) {
  constexpr int kRow = 40;
  int row[kRow], own[kRow];
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < kRow; ++j) {
    row[j] = j;
    own[j] = second[thread * kRow + j];
  }
  for (int i = 0; i < length; ++i) {
    int corner = i, left = i + 1, letter = first[i];
    for (int j = 0; j < kRow; ++j) {
      int up = row[j];
      left = min(min(left, up) + 1, corner + (own[j] != letter));
      corner = up;
      row[j] = left;
    }
  }
  out[thread] = row[kRow - 1];
}

// Probes ahead of which nothing can be loaded but after the test that one is needed.
extern "C" __global__ void probes(const unsigned* __restrict__ keys,
                                  const unsigned* __restrict__ table, int* __restrict__ found,
                                  unsigned mask) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned key = keys[thread], place = key * 2246822519u & mask;
  int steps = 0;
  for (; steps < 6; ++steps) {
    unsigned entry = table[place];
    if (entry == key || entry % 4 == 0) break;
    place = (place + 1) & mask;
  }
  found[thread] = steps;
}

// Each block ranks the values of its own.
extern "C" __global__ void ranks(const float* __restrict__ values, int* __restrict__ out) {
  __shared__ float all[256];
  float own = values[blockIdx.x * 256 + threadIdx.x];
  all[threadIdx.x] = own;
  __syncthreads();
  int rank = 0;
  for (int k = 0; k < 256; ++k) rank += all[k] < own ? 1 : 0;
  out[blockIdx.x * 256 + threadIdx.x] = rank;
}

// 4 × 4 results per thread, a tile of 64 × 64 per block. The tile is filled by a loop.
extern "C" __global__ void tiled_product(const float* a, const float* b, float* c, int n) {
  __shared__ float rows[64][8], columns[8][64];
  int row = blockIdx.y * 64, column = blockIdx.x * 64, thread = threadIdx.y * 16 + threadIdx.x;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += 8) {
    for (int i = thread; i < 512; i += 256) {
      rows[i / 8][i % 8] = a[(row + i / 8) * n + k + i % 8];
      columns[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
    }
    __syncthreads();
    for (int j = 0; j < 8; ++j) {
      for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 4; ++x) {
          sums[y][x] += rows[threadIdx.y * 4 + y][j] * columns[j][threadIdx.x * 4 + x];
        }
      }
    }
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      c[(row + threadIdx.y * 4 + y) * n + column + threadIdx.x * 4 + x] = sums[y][x];
    }
  }
}

// The first warp fills one buffer while the others compute on the other.
extern "C" __global__ void fill_beside(const float* __restrict__ in, float* __restrict__ out,
                                       int tiles) {
  __shared__ float buffers[2][64];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  in += blockIdx.x * tiles * 64;
  out += blockIdx.x * tiles * 64;
  if (warp == 0) {
    buffers[0][lane] = in[lane];
    buffers[0][lane + 32] = in[lane + 32];
  }
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    if (warp == 0) {
      if (t + 1 < tiles) {
        buffers[(t + 1) & 1][lane] = in[(t + 1) * 64 + lane];
        buffers[(t + 1) & 1][lane + 32] = in[(t + 1) * 64 + lane + 32];
      }
    } else {
      float value = buffers[t & 1][(warp - 1) * 32 + lane], power = 1;
      for (int k = 0; k < 30; ++k) power = power * value + 0.5f;
      out[t * 64 + (warp - 1) * 32 + lane] = power;
    }
    __syncthreads();
  }
}

// Written to load each tile as it is needed; the compiler may load the next ones ahead.
extern "C" __global__ void smooth_tiles(const float* __restrict__ in, float* __restrict__ out,
                                        int tiles) {
  __shared__ float tile[128];
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    tile[threadIdx.x] = in[(blockIdx.x * tiles + t) * 128 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile[(threadIdx.x + 8 * k) % 128];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The next tile is loaded into a register before this one is used.
extern "C" __global__ void tiles_ahead(const float* __restrict__ in, float* __restrict__ out,
                                       int tiles) {
  __shared__ float tile[128];
  in += blockIdx.x * tiles * 128 + threadIdx.x;
  float sum = 0, next = in[0];
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    tile[threadIdx.x] = next;
    __syncthreads();
    if (t + 1 < tiles) next = in[(t + 1) * 128];
    for (int k = 0; k < 16; ++k) sum += tile[(threadIdx.x + 8 * k) % 128];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
