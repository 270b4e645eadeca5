// A layer of a network of convolutions, 3 by 3, with a bias and a leaky rectifier: a thread has a
// pixel of one output channel, whose weights the block holds in shared memory. Pictures have a
// border of one pixel.

constexpr int kChannels = 32, kTaps = 9;

struct Shape {
  int width, height, pitch;  // pitch counts the border
};

template <typename T>
__device__ __forceinline__ T leaky(T value, T slope) {
  return value > T(0) ? value : slope * value;
}

// Weights lie output by output, then input by input.
__global__ void __launch_bounds__(256)
    convolve_layer(const float* __restrict__ inputs, const float* __restrict__ weights,
                   const float* __restrict__ biases, float* __restrict__ outputs, Shape shape) {
  __shared__ float taps[kChannels][kTaps];
  int thread = threadIdx.y * blockDim.x + threadIdx.x, channel = blockIdx.z;
  for (int k = thread; k < kChannels * kTaps; k += 256) {
    taps[k / kTaps][k % kTaps] = weights[channel * kChannels * kTaps + k];
  }
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= shape.width || y >= shape.height) return;

  size_t area = static_cast<size_t>(shape.pitch) * (shape.height + 2);
  float sum = biases[channel];
  for (int input = 0; input < kChannels; ++input) {
    const float* corner = inputs + input * area + static_cast<size_t>(y) * shape.pitch + x;
#pragma unroll
    for (int tap = 0; tap < kTaps; ++tap) {
      float value = corner[tap / 3 * shape.pitch + tap % 3];
      sum += taps[input][tap] * value;
    }
  }
  outputs[(static_cast<size_t>(channel) * shape.height + y) * shape.width + x] = leaky(sum, 0.1f);
}
