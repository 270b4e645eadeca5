// The density of given samples at many places, and its slope, with Gaussians of a given sharpness.

constexpr int kTile = 128;

__global__ void kernel_density(const float* __restrict__ places, const float* __restrict__ samples,
                               float* __restrict__ densities, float* __restrict__ slopes, int count,
                               int sample_count, float sharpness) {
  __shared__ float tile[kTile];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float place = i < count ? places[i] : 0.0f;
  float density = 0;
  float slope = 0;

  for (int base = 0; base < sample_count; base += kTile) {
    if (threadIdx.x < kTile && base + threadIdx.x < sample_count) {
      tile[threadIdx.x] = samples[base + threadIdx.x];
    }
    __syncthreads();
    int last = min(kTile, sample_count - base);
    for (int k = 0; k < last; ++k) {
      float away = (place - tile[k]) * sharpness;
      float weight = expf(-0.5f * away * away);
      density += weight;
      slope += fabsf(away) * weight;
    }
    __syncthreads();
  }

  float scale = sharpness / static_cast<float>(sample_count);
  if (i < count) {
    densities[i] = density * scale;
    slopes[i] = slope * scale;
  }
}
