// Haar wavelets and Walsh transforms (kinds dwtHaar1D and fastWalshTrans): butterflies, one step a
// launch or all steps in shared memory.

// The inverse of one level; pairs are written with two stores.
__global__ void haar_inverse(const float* __restrict__ sums, const float* __restrict__ differences,
                             float* __restrict__ out, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  float s = sums[i], d = differences[i];
  out[2 * i] = (s + d) * 0.70710678f;
  out[2 * i + 1] = (s - d) * 0.70710678f;
}

// The number of levels is an argument: a uniform break leaves the loop of barriers.
__global__ void haar_levels_early_out(const float* __restrict__ in, float* __restrict__ out,
                                      int levels) {
  __shared__ float line[2][128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t, from = 0;
  line[0][t] = in[i];
  __syncthreads();
  for (int active = 64, level = 0; active > 0; active >>= 1, ++level) {
    if (level >= levels) break;
    float value = line[from][t];
    if (t < active) {
      value = line[from][2 * t] + line[from][2 * t + 1];
    } else if (t < 2 * active) {
      value = line[from][2 * (t - active)] - line[from][2 * (t - active) + 1];
    }
    line[1 - from][t] = value;
    from = 1 - from;
    __syncthreads();
  }
  out[i] = line[from][t];
}

// One step of the transform in place: a thread owns one butterfly.
__global__ void walsh_step(float* __restrict__ values, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = 2 * i - i % step;
  float a = values[at], b = values[at + step];
  values[at] = a + b;
  values[at + step] = a - b;
}

// A whole transform of 256 values per block; the stride halves from step to step.
__global__ void walsh_shared(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float values[256];
  int t = threadIdx.x, base = blockIdx.x * 256;
  values[t] = in[base + t];
  values[t + 128] = in[base + t + 128];
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();
    int low = t & (stride - 1), at = 2 * t - low;
    float a = values[at], b = values[at + stride];
    values[at] = a + b;
    values[at + stride] = a - b;
  }
  __syncthreads();
  out[base + t] = values[t];
  out[base + t + 128] = values[t + 128];
}
