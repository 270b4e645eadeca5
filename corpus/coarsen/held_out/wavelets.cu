// Haar wavelets and Walsh transforms (kinds dwtHaar1D and fastWalshTrans): butterflies, one step a
// launch or all steps in shared memory.

// One level: sums and differences of neighbours.
__global__ void haar_step(const float2* __restrict__ in, float* __restrict__ sums,
                          float* __restrict__ differences, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  float2 pair = in[i];
  sums[i] = (pair.x + pair.y) * 0.70710678f;
  differences[i] = (pair.x - pair.y) * 0.70710678f;
}

// All levels of one line per block: fewer threads take part at each level.
__global__ void haar_levels(const float* __restrict__ in, float* __restrict__ details,
                            float* __restrict__ approximation) {
  constexpr int kLine = 256;
  __shared__ float line[kLine];
  int t = threadIdx.x, base = blockIdx.x * kLine;
  line[t] = in[base + t];
  line[t + kLine / 2] = in[base + t + kLine / 2];
  __syncthreads();
  for (int active = kLine / 2; active > 0; active /= 2) {
    float sum = 0, difference = 0;
    if (t < active) {
      float a = line[2 * t], b = line[2 * t + 1];
      sum = (a + b) * 0.70710678f;
      difference = (a - b) * 0.70710678f;
    }
    __syncthreads();
    if (t < active) {
      line[t] = sum;
      details[base + active + t] = difference;
    }
    __syncthreads();
  }
  if (t == 0) approximation[blockIdx.x] = line[0];
}

// Some levels in dynamic shared memory, in double precision; every thread always takes part.
__global__ void haar_dynamic(const double* __restrict__ in, double* __restrict__ out, int levels) {
  extern __shared__ double values[];
  int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
  values[t] = in[i];
  __syncthreads();
  for (int level = 0; level < levels; ++level) {
    int span = n >> level, half = span / 2;
    double value = values[t];
    if (t < half) value = (values[2 * t] + values[2 * t + 1]) * 0.5;
    else if (t < span) value = (values[2 * (t - half)] - values[2 * (t - half) + 1]) * 0.5;
    __syncthreads();
    values[t] = value;
    __syncthreads();
  }
  out[i] = values[t];
}

// Four values per butterfly, in integers, from one buffer to another.
__global__ void walsh_radix4(const int* __restrict__ in, int* __restrict__ out, int stride,
                             int butterflies) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < butterflies;
       i += gridDim.x * blockDim.x) {
    int at = i / stride * stride * 4 + i % stride;
    int a = in[at], b = in[at + stride], c = in[at + 2 * stride], d = in[at + 3 * stride];
    out[at] = a + b + c + d;
    out[at + stride] = a - b + c - d;
    out[at + 2 * stride] = a + b - c - d;
    out[at + 3 * stride] = a - b - c + d;
  }
}

// 32 values per warp by exchanging lanes; lanes beyond the end take part with zeros.
__global__ void walsh_shuffle(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_xor_sync(0xffffffff, value, step);
    value = (threadIdx.x & step) ? other - value : value + other;
  }
  if (i < n) out[i] = value;
}
