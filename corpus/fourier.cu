// Fourier transforms in shared memory.

__device__ float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ float2 plus(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ float2 minus(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}

// Radix 2, decimation in time: bit reversal with BREV, sincospif for the twiddles (polynomials, no
// MUFU). A block transforms 2·blockDim.x points, a power of two.
__global__ void fft_radix2(const float2* __restrict__ in, float2* __restrict__ out, int bits) {
  extern __shared__ float2 points[];
  int n = 1 << bits, base = blockIdx.x * n;
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    points[__brev(k) >> (32 - bits)] = in[base + k];
  }
  for (int half = 1; half < n; half *= 2) {
    __syncthreads();
    int k = threadIdx.x % half;
    int low = (threadIdx.x / half) * 2 * half + k, high = low + half;
    float sine, cosine;
    sincospif(-static_cast<float>(k) / half, &sine, &cosine);
    float2 odd = times(points[high], make_float2(cosine, sine));
    float2 even = points[low];
    points[low] = plus(even, odd);
    points[high] = minus(even, odd);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x) out[base + k] = points[k];
}

// Radix 4 by Stockham's method, 256 points per block of 64 threads; twiddles from sine tables in
// constant memory, indexed per lane.
__constant__ float kSine[65] = {
    0.000000000f, 0.024541229f, 0.049067674f, 0.073564564f, 0.098017140f, 0.122410675f,
    0.146730474f, 0.170961889f, 0.195090322f, 0.219101240f, 0.242980180f, 0.266712757f,
    0.290284677f, 0.313681740f, 0.336889853f, 0.359895037f, 0.382683432f, 0.405241314f,
    0.427555093f, 0.449611330f, 0.471396737f, 0.492898192f, 0.514102744f, 0.534997620f,
    0.555570233f, 0.575808191f, 0.595699304f, 0.615231591f, 0.634393284f, 0.653172843f,
    0.671558955f, 0.689540545f, 0.707106781f, 0.724247083f, 0.740951125f, 0.757208847f,
    0.773010453f, 0.788346428f, 0.803207531f, 0.817584813f, 0.831469612f, 0.844853565f,
    0.857728610f, 0.870086991f, 0.881921264f, 0.893224301f, 0.903989293f, 0.914209756f,
    0.923879533f, 0.932992799f, 0.941544065f, 0.949528181f, 0.956940336f, 0.963776066f,
    0.970031253f, 0.975702130f, 0.980785280f, 0.985277642f, 0.989176510f, 0.992479535f,
    0.995184727f, 0.997290457f, 0.998795456f, 0.999698819f, 1.000000000f};

// exp(-2πi·k/256)
__device__ float2 root(int k) {
  int quarter = k >> 6 & 3, r = k & 63;
  float s = kSine[r], c = kSine[64 - r];
  float cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  float sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
  return make_float2(cosine, -sine);
}

__global__ void __launch_bounds__(64)
    fft_radix4(const float2* __restrict__ in, float2* __restrict__ out) {
  __shared__ float2 points[2][256];
  int t = threadIdx.x, base = blockIdx.x * 256;
  for (int k = t; k < 256; k += 64) points[0][k] = in[base + k];
  int now = 0;
  for (int size = 1; size < 256; size *= 4) {
    __syncthreads();
    int k = t % size;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) v[r] = times(points[now][t + 64 * r], root(k * r * (64 / size)));
    float2 a = plus(v[0], v[2]), b = minus(v[0], v[2]);
    float2 c = plus(v[1], v[3]), d = minus(v[1], v[3]);
    d = make_float2(d.y, -d.x);  // times -i
    int to = (t - k) * 4 + k;
    points[1 - now][to] = plus(a, c);
    points[1 - now][to + size] = plus(b, d);
    points[1 - now][to + 2 * size] = minus(a, c);
    points[1 - now][to + 3 * size] = minus(b, d);
    now = 1 - now;
  }
  __syncthreads();
  for (int k = t; k < 256; k += 64) out[base + k] = points[now][k];
}

// The power spectrum of a signal by the definition, with the fast __sinf and __cosf.
__global__ void power_spectrum(const float* __restrict__ in, float* __restrict__ power, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  float real = 0, imaginary = 0;
  for (int i = 0; i < n; ++i) {
    float angle = 6.2831853f * ((k * i) % n) / n;
    real += in[i] * __cosf(angle);
    imaginary += in[i] * __sinf(angle);
  }
  power[k] = real * real + imaginary * imaginary + n;
}

// A fast Walsh-Hadamard transform of 1024 integers per block of 256: shuffles for small strides,
// shared memory for large ones.
__global__ void walsh(int* __restrict__ data) {
  __shared__ int shared[1024];
  int t = threadIdx.x, base = blockIdx.x * 1024;
  int v[4];
  for (int k = 0; k < 4; ++k) v[k] = data[base + k * 256 + t];
  for (int mask = 1; mask < 32; mask *= 2) {
    for (int k = 0; k < 4; ++k) {
      int other = __shfl_xor_sync(0xffffffff, v[k], mask);
      v[k] = t & mask ? other - v[k] : v[k] + other;
    }
  }
  for (int k = 0; k < 4; ++k) shared[k * 256 + t] = v[k];
  for (int stride = 32; stride < 1024; stride *= 2) {
    __syncthreads();
    for (int pair = t; pair < 512; pair += 256) {
      int low = (pair / stride) * 2 * stride + pair % stride;
      int a = shared[low], b = shared[low + stride];
      shared[low] = a + b;
      shared[low + stride] = a - b;
    }
  }
  __syncthreads();
  for (int k = 0; k < 4; ++k) data[base + k * 256 + t] = shared[k * 256 + t];
}
