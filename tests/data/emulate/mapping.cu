// Kernels whose threads are mapped to memory in ways that are easy to misread.

// A transposition by a flat index, whose last block is not full.
extern "C" __global__ void turn(const float* in, float* out, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h) return;
  int x = i % w, y = i / w;
  out[x * h + y] = in[y * w + x];
}

// The same in a loop over the grid.
extern "C" __global__ void turn_all(const float* in, float* out, int w, int h) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += gridDim.x * blockDim.x) {
    int x = i % w, y = i / w;
    out[x * h + y] = in[y * w + x];
  }
}

// A transposition of each of several layers.
extern "C" __global__ void turn_layers(const float* in, float* out, int w, int h, int layers) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * layers) return;
  int x = i % w, y = i / w % h, z = i / (w * h);
  out[(z * w + x) * h + y] = in[i];
}

// The number of the thread is split the wrong way round.
extern "C" __global__ void scale_columns(const float* in, float* out, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h) return;
  int x = i / h, y = i % h;
  out[y * w + x] = in[y * w + x] * 2.0f;
}

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};
extern "C" __global__ void weigh(const Particle* particles, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = particles[i].x + particles[i].mass;
}
extern "C" __global__ void weigh_all(const Particle* particles, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += particles[i].x + particles[i].mass;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void contract(const float* a, const float* b, float* out, int na, int nb, int nc, int nd,
                                    int nk) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= na * nb * nc * nd) return;
  int d = i % nd, c = i / nd % nc, y = i / (nd * nc) % nb, x = i / (nd * nc * nb);
  float sum = 0;
  for (int k = 0; k < nk; ++k) sum += a[(x * nk + k) * nc + c] * b[(d * nk + k) * nb + y];
  out[i] = sum;
}

// A matrix product with 4 × 4 results per thread.
extern "C" __global__ void product(const float* a, const float* b, float* out, int n) {
  constexpr int kSide = 64, kStep = 16;
  __shared__ float rows[kStep][kSide], columns[kStep][kSide];
  int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float sums[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += kStep) {
    for (int e = threadIdx.x; e < kSide * kStep; e += 256)
      rows[e % kStep][e / kStep] = a[(blockIdx.y * kSide + e / kStep) * n + k0 + e % kStep];
    for (int e = threadIdx.x; e < kSide * kStep; e += 256)
      columns[e / kSide][e % kSide] = b[(k0 + e / kSide) * n + blockIdx.x * kSide + e % kSide];
    __syncthreads();
    for (int k = 0; k < kStep; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += rows[k][y * 4 + i] * columns[k][x * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) out[(blockIdx.y * kSide + y * 4 + i) * n + blockIdx.x * kSide + x * 4 + j] = sums[i][j];
}

__noinline__ __device__ float square(const float* in, int i) { return in[i] * in[i] + 1.0f; }
extern "C" __global__ void add_squares(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = square(a, i) + square(b, i);
}

extern "C" __global__ void count_steps(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i], steps = 0;
  while (v > 1 && steps < 200) {
    v = v & 1 ? 3 * v + 1 : v >> 1;
    ++steps;
  }
  out[i] = steps;
}

extern "C" __global__ void search(const int* sorted, const int* keys, int* out, int n, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int key = keys[i], low = 0, high = n;
  while (low < high) {
    int middle = (low + high) >> 1;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = low;
}
extern "C" __global__ void search_unrolled(const int* sorted, const int* keys, int* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int key = keys[i], at = 0;
#pragma unroll
  for (int step = 1 << 21; step > 0; step >>= 1)
    if (sorted[at + step - 1] < key) at += step;
  out[i] = at;
}

// Few lanes take a branch with a long body, in a loop.
extern "C" __global__ void rare_power(const float* in, float* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < rounds; ++k) {
    float v = in[k * n + i];
    if (v > 0.97f) sum += powf(v + sum, 1.7f) + atanf(v * sum);
  }
  out[i] = sum;
}
