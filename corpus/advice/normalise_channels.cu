// Batch normalisation at inference with a residual and a hard swish behind it. Maps lie image by
// image, channel by channel, row by row (NCHW).

struct Shape {
  int channels, height, width;
  __device__ long long size() const { return 1LL * channels * height * width; }
};

struct Statistics {
  float mean, variance, scale, shift;
};

__device__ __forceinline__ float hard_swish(float value) {
  return value * __saturatef(value * (1.0f / 6.0f) + 0.5f);
}

__global__ void normalise_channels(const float* __restrict__ maps,
                                   const float* __restrict__ residual,
                                   const Statistics* __restrict__ statistics,
                                   float* __restrict__ out, int channels, int height, int width,
                                   float epsilon) {
  Shape shape = {channels, height, width};
  int element = blockIdx.x * blockDim.x + threadIdx.x;
  int image = blockIdx.y;
  if (element >= shape.size()) return;
  int channel = element % channels;
  int pixel = element / channels;

  Statistics of = statistics[channel];
  float scale = of.scale * rsqrtf(of.variance + epsilon);
  float shift = of.shift - of.mean * scale;
  long long place = image * shape.size() + static_cast<long long>(channel) * height * width + pixel;
  float value = fmaf(scale, maps[place], shift);
  value += residual[place];
  out[place] = hard_swish(value);
}
