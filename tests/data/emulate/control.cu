// Kernels in which lanes, warps or blocks have unequal work, or exchange values step by step
// (tests/advise).

// A warp for each row, of which most have five entries.
extern "C" __global__ void short_rows(const int* __restrict__ starts,
                                      const float* __restrict__ values,
                                      float* __restrict__ sums, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = starts[row] + lane; k < starts[row + 1]; k += 32) sum += values[k] * values[k];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(~0u, sum, far);
  if (lane == 0) sums[row] = sqrtf(sum) + sums[row];
}

// Each element is of one of five kinds, and each kind has code of its own.
extern "C" __global__ void kinds(const int* __restrict__ kind, const float* __restrict__ in,
                                 float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i], y = 0;
  switch (kind[i]) {
    case 0:
      for (int k = 0; k < 12; ++k) y = __sinf(y + x);
      break;
    case 1:
      for (int k = 0; k < 12; ++k) y = __cosf(y - x);
      break;
    case 2:
      for (int k = 0; k < 12; ++k) y = __expf(y * x - 1);
      break;
    case 3:
      for (int k = 0; k < 12; ++k) y = rsqrtf(y + x + 1);
      break;
    default:
      for (int k = 0; k < 12; ++k) y = __logf(y + x + 2);
      break;
  }
  out[i] = y;
}

// Each thread has a sum of its own, in double.
extern "C" __global__ void log_odds(const float* __restrict__ in, float* __restrict__ out, int n,
                                    int looks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < looks; ++k) {
    float seen = in[k * n + i];
    if (seen < 0.3f) {
      sum += log(0.9 * seen + 0.05);
    } else {
      sum -= 0.01;
    }
  }
  out[i] = (float)sum;
}

// Rays of unequal length; no ray becomes opaque.
extern "C" __global__ void march(const float* __restrict__ fog, float* __restrict__ out, int n,
                                 float step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float depth = 0;
  int steps = 16 + (i * 7919) % 64;
  for (int k = 0; k < steps; ++k) {
    depth += step * fog[(k * 4099 + i) & (n - 1)];
    if (depth > 1e6f) break;
  }
  out[i] = __expf(-depth);
}

__device__ float glow(float x, float y) {
  return 0.5f * powf(x, y);
}

// The tests inside powf are nobody's.
extern "C" __global__ void glows(const float* __restrict__ in, float* __restrict__ out, int n,
                                 int lamps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < lamps; ++k) {
    float x = in[(i + k) & (n - 1)];
    sum += x > 2.0f ? 1.0f : glow(x, 0.3f + x);
  }
  out[i] = sum;
}

// Every second element is computed, from neighbours of the other kind.
extern "C" __global__ void every_second(float* u, const float* __restrict__ f, int n, int colour) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n - 1) return;
  if ((i & 1) != colour) return;
  float next = __fdividef(u[i - 1] + u[i + 1] + f[i], 2.5f + f[i] * f[i]);
  u[i] = u[i] + 1.2f * (next - u[i]);
}

// The right neighbour begins within the next four elements.
extern "C" __global__ void differences(const float* __restrict__ a, const float* __restrict__ b,
                                       const float* __restrict__ c, float* __restrict__ out,
                                       int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int i = y * width + x;
  out[i] = a[i + 1] - b[i] * c[i];
}

// Thread i compares with all that follow: the first blocks have the longest loops, and all blocks
// run at the same time.
extern "C" __global__ void nearest_after(const float2* __restrict__ points, int n,
                                         float* __restrict__ best) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float least = 1e30f;
  for (int j = i + 1; j < n; ++j) {
    float dx = points[j].x - points[i].x, dy = points[j].y - points[i].y;
    least = fminf(least, sqrtf(dx * dx + dy * dy));
  }
  best[i] = least;
}

// Tiles on one side of the diagonal return at once.
extern "C" __global__ void tile_pairs(const float* __restrict__ at, float* __restrict__ out, int n,
                                      int rounds) {
  __shared__ float other[128];
  if (blockIdx.y < blockIdx.x) return;
  other[threadIdx.x] = at[blockIdx.y * 128 + threadIdx.x];
  float own = at[blockIdx.x * 128 + threadIdx.x], sum = 0;
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    for (int j = 0; j < 128; ++j) sum += rsqrtf(fabsf(own - other[j]) + 0.1f * k);
  }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}

// The places of those that pass, by a scan with two barriers for each step.
extern "C" __global__ void pass_places(const float* __restrict__ in, int* __restrict__ out,
                                       float least) {
  __shared__ int counts[512];
  int t = threadIdx.x, i = blockIdx.x * 512 + t;
  bool passes = in[i] >= least;
  counts[t] = passes ? 1 : 0;
  __syncthreads();
  for (int far = 1; far < 512; far *= 2) {
    int other = t >= far ? counts[t - far] : 0;
    __syncthreads();
    counts[t] += other;
    __syncthreads();
  }
  if (passes) out[blockIdx.x * 512 + counts[t] - 1] = t;
}

// A recurrence over the neighbours in shared memory has as many barriers, and is no scan.
extern "C" __global__ void cheapest_paths(const int* __restrict__ costs, int* __restrict__ out) {
  __shared__ int row[512];
  int t = threadIdx.x;
  row[t] = costs[blockIdx.x * 512 + t];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    int best = min(row[t], min(row[max(t - 1, 0)], row[min(t + 1, 511)]));
    __syncthreads();
    row[t] = best + ((t * k) & 7);
    __syncthreads();
  }
  out[blockIdx.x * 512 + t] = row[t];
}
