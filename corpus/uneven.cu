// Work that is not the same from block to block, from warp to warp, or from run to run: loops whose
// length depends on where a thread is or what it reads, queues, locks, and blocks that wait for
// blocks. A prediction that looks at a few blocks must still be right about the whole grid.

// Rows of a lower triangle: block b adds b + 1 rows, so the last blocks work longest.
__global__ void triangle_rows(const float* __restrict__ in, float* __restrict__ out, int width) {
  int column = threadIdx.x;
  float sum = 0;
  for (int row = 0; row <= blockIdx.x; ++row) sum += in[(row & 63) * width + column] * 0.5f;
  out[blockIdx.x * width + column] = sum;
}

// The same from above: the first blocks work longest.
__global__ void triangle_falling(const float* __restrict__ in, float* __restrict__ out, int width) {
  int column = threadIdx.x;
  float sum = 0;
  for (int row = blockIdx.x; row < gridDim.x; ++row) sum += in[(row & 63) * width + column] * 0.5f;
  out[blockIdx.x * width + column] = sum;
}

// Newton's iteration to the roots of z^3 = 1: pixels near the borders take long.
__global__ void newton_fractal(unsigned char* __restrict__ out, int width, int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float re = 3.0f * x / width - 1.5f, im = 3.0f * y / height - 1.5f;
  int steps = 0;
  for (; steps < limit; ++steps) {
    float r2 = re * re, i2 = im * im, size = r2 + i2;
    float fr = re * (r2 - 3 * i2) - 1, fi = im * (3 * r2 - i2);
    if (fr * fr + fi * fi < 1e-6f) break;
    float scale = 1.0f / (3 * size * size + 1e-12f), dr = r2 - i2, di = 2 * re * im;
    float nr = re - (fr * dr + fi * di) * scale;
    im = im - (fi * dr - fr * di) * scale;
    re = nr;
  }
  out[y * width + x] = static_cast<unsigned char>(steps);
}

// Marches rays through a field of spheres until one is hit: a ray's length depends on where it goes.
__global__ void march_rays(const float4* __restrict__ spheres, float* __restrict__ depth, int count,
                           int width, int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float dx = (x - 0.5f * width) / width, dy = (y - 0.5f * height) / width, t = 0;
  float scale = rsqrtf(dx * dx + dy * dy + 1);
  for (int k = 0; k < limit && t < 20; ++k) {
    float nearest = 1e9f;
    for (int s = 0; s < count; ++s) {
      float4 c = spheres[s];
      float px = dx * scale * t - 2 * c.x, py = dy * scale * t - 2 * c.y, pz = scale * t - 4 - c.z;
      nearest = fminf(nearest, sqrtf(px * px + py * py + pz * pz) - 0.2f * fabsf(c.w));
    }
    if (nearest < 1e-3f) break;
    t += nearest;
  }
  depth[y * width + x] = t;
}

// Rows of a sparse matrix, a warp per row; every 1024th row is 200 times as long as the others.
__global__ void skewed_rows(const int* __restrict__ column, const float* __restrict__ x,
                            float* __restrict__ y, int entries, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  int length = row % 1024 == 512 ? 200 * 64 : 64;
  float sum = 0;
  for (int k = lane; k < length; k += 32) {
    sum += x[column[(static_cast<long long>(row) * 64 + k) % entries]];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}

// Tiles handed out by a counter: blocks stay, and take the next tile when they have done one.
__global__ void work_queue(const float* __restrict__ in, float* __restrict__ out, int* next,
                           int tiles, int rounds) {
  __shared__ int tile;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    int mine = tile;
    if (mine >= tiles) return;
    float value = in[mine * blockDim.x + threadIdx.x];
    for (int k = 0; k < rounds * (1 + mine % 4); ++k) value = value * 0.999f + 0.5f;
    out[mine * blockDim.x + threadIdx.x] = value;
    __syncthreads();
  }
}

// The same with a ticket per warp and a loop that depends on the data.
__global__ void warp_queue(const int* __restrict__ lengths, int* __restrict__ out, int* next,
                           int items) {
  int lane = threadIdx.x % 32;
  for (;;) {
    int item = 0;
    if (lane == 0) item = atomicAdd(next, 1);
    item = __shfl_sync(~0u, item, 0);
    if (item >= items) return;
    unsigned state = item * 32 + lane;
    for (int k = lengths[item]; k > 0; --k) state = state * 1664525u + 1013904223u;
    out[item * 32 + lane] = static_cast<int>(state);
  }
}

// Appends the positions of large elements to a list: a counter that every warp adds to.
__global__ void append_large(const float* __restrict__ in, int* __restrict__ list, int* length,
                             float least, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (in[i] > least) list[atomicAdd(length, 1)] = i;
  }
}

// The largest of a block's floats, put into one of `cells` places by compare-and-swap.
__global__ void cas_largest(const float* __restrict__ in, int* cells, int places, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = in[i];
  int* cell = cells + i % places;
  int seen = *cell;
  while (value > __int_as_float(seen)) {
    int before = atomicCAS(cell, seen, __float_as_int(value));
    if (before == seen) break;
    seen = before;
  }
}

// A sum in double precision by compare-and-swap, as before there was an instruction for it.
__global__ void cas_sum(const double* __restrict__ in, unsigned long long* cells, int places,
                        int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double value = in[i];
  unsigned long long *cell = cells + i % places, seen = *cell, before;
  do {
    before = seen;
    seen = atomicCAS(cell, before,
                     __double_as_longlong(__longlong_as_double(before) + value));
  } while (seen != before);
}

// A lock per bucket, taken by one thread of a block at a time.
__global__ void bucket_locks(const int* __restrict__ in, int* locks, volatile int* totals,
                             int buckets, int each) {
  if (threadIdx.x != 0) return;
  for (int k = 0; k < each; ++k) {
    int value = in[blockIdx.x * each + k], bucket = value % buckets;
    while (atomicCAS(locks + bucket, 0, 1) != 0) {
    }
    __threadfence();
    totals[bucket] = totals[bucket] + value;
    __threadfence();
    atomicExch(locks + bucket, 0);
  }
}

// Each block waits for the one before it, then passes its sum on.
__global__ void chained_sums(const int* __restrict__ in, int* __restrict__ out, volatile int* ready,
                             volatile int* carry, int* ticket) {
  __shared__ int block, before, sums[32];
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1);
  __syncthreads();
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = in[block * blockDim.x + threadIdx.x];
  int sum = value;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) total += sums[w];
    while (block > 0 && ready[block - 1] == 0) {
    }
    __threadfence();
    before = block > 0 ? carry[block - 1] : 0;
    carry[block] = before + total;
    __threadfence();
    ready[block] = 1;
  }
  __syncthreads();
  out[block * blockDim.x + threadIdx.x] = before + value;
}

// The block that ends last adds what the others left: a tail that one SM works on alone.
__global__ void last_block_sums(const float* __restrict__ in, float* partial, float* __restrict__ out,
                                unsigned* done, int n) {
  __shared__ bool last;
  __shared__ float sums[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int round = 0; round < 2; ++round) {
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      float total = 0;
      for (int w = 0; w < blockDim.x / 32; ++w) total += sums[w];
      (round == 1 ? *out : partial[blockIdx.x]) = total;
      __threadfence();
      last = round == 0 && atomicAdd(done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    sum = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += partial[b];
  }
}

// Threads of a block that go on until all of them agree: the slowest decides.
__global__ void until_settled(float* __restrict__ data, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = data[i], target = 0.5f + fabsf(x);
  for (int k = 0; k < limit; ++k) {
    float next = 0.5f * (x + target / (fabsf(x) + 1e-3f * (1 + blockIdx.x % 7)));
    bool moved = fabsf(next - x) > 1e-6f;
    x = next;
    if (__syncthreads_or(moved) == 0) break;
  }
  data[i] = x;
}

// Lengths read from memory, a thread each: lanes wait for the longest of their warp.
__global__ void uneven_lanes(const int* __restrict__ lengths, const float* __restrict__ values,
                             float* __restrict__ out, int n, int table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0, at = i % table; k < lengths[i]; ++k, at = (at + 17) % table) sum += values[at];
  out[i] = sum;
}

// Half of the warps of each block do ten times the work of the others.
__global__ void uneven_warps(const float* __restrict__ in, float* __restrict__ out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
  float value = in[i];
  int mine = warp % 2 == 0 ? rounds : 10 * rounds;
  for (int k = 0; k < mine; ++k) value = sqrtf(value * value + 1.0f);
  out[i] = value;
}

// One block in eight does nothing, one in eight does everything over and over.
__global__ void idle_blocks(const float* __restrict__ in, float* __restrict__ out, int rounds) {
  int kind = blockIdx.x % 8;
  if (kind == 3) return;
  int i = blockIdx.x * blockDim.x + threadIdx.x, mine = kind == 5 ? 16 * rounds : rounds;
  float value = in[i];
  for (int k = 0; k < mine; ++k) value = value * 0.9f + 0.1f * value * value;
  out[i] = value;
}

// Greatest common divisors by subtraction and shifts: lanes of a warp part often.
__global__ void binary_gcd(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                           unsigned* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i] | 1u, y = b[i] | 1u;
  while (x != y) {
    if (x > y) {
      x -= y;
      x >>= __ffs(x) - 1;
    } else {
      y -= x;
      y >>= __ffs(y) - 1;
    }
  }
  out[i] = x;
}

// Walks down an implicit search tree in memory: each step's address comes from the one before.
__global__ void tree_search(const int* __restrict__ keys, const int* __restrict__ queries,
                            int* __restrict__ found, int size, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int query = queries[i], node = 0, last = -1;
  while (node < size) {
    last = node;
    node = 2 * node + (query > (keys[node] ^ (node * 2654435761u >> 4 & 0xffff)) ? 2 : 1);
  }
  found[i] = last;
}
