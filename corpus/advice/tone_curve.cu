// A tone curve of 256 points applied to samples, straight between two points: a thread has `each`
// samples.

__global__ void tone_curve(const float* __restrict__ in, const float* __restrict__ curve,
                           float* __restrict__ out, int count, int each) {
  __shared__ float points[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) {
    points[k] = curve[k];
  }
  __syncthreads();

  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; ++k) {
    int i = thread * each + k;
    if (i >= count) break;
    float value = in[i];
    float place = fminf(fmaxf(value, 0.0f), 1.0f) * 254.0f;
    int below = static_cast<int>(place);
    float part = place - static_cast<float>(below);

    float low = points[below];
    float high = points[below + 1];
    float toned = low + part * (high - low);
    float dark = 0.05f;
    if (value < dark) {
      toned *= value / dark;
    }
    float light = 0.95f;
    if (value > light) {
      toned = 1.0f - 0.5f * (1.0f - toned);
    }
    out[i] = toned;
  }
}
