// Hand-written: a block makes four rows of an image in all 64 channels, a thread 8 channels x 7 pixels in registers. Four
// input channels at a time are in shared memory (asynchronous copies, two buffers). A small kernel first puts the weights
// in the order in which they are read, 64 output channels side by side. In single precision.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace {
constexpr int kWidth = 56, kHeight = 56, kOut = 64, kMaxIn = 512;
constexpr int kRows = 4, kChunk = 4;             // output rows of a block, input channels in a buffer
constexpr int kPixels = 7, kChannels = 8;        // of a thread
constexpr int kGroups = kWidth / kPixels;        // of pixels in a row
constexpr int kStride = 88;                      // of an input row: lanes read from 32 different banks
constexpr int kThreads = kGroups * kRows * (kOut / kChannels);
static_assert(kGroups * kRows == 32);

__device__ float4 ordered[kMaxIn * 9 * kOut / 4];  // [input channel][tap][output channel]

__global__ void __launch_bounds__(256) reorder(const float *__restrict__ weights, int in_channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, tap = i / kOut, channel = i % kOut;
  if (tap < in_channels * 9) reinterpret_cast<float *>(ordered)[i] = weights[channel * in_channels * 9 + tap];
}

struct Buffer {
  float4 weights[kChunk * 9][kOut / 4];
  float input[kChunk][kRows + 2][kStride];
};

__global__ void __launch_bounds__(kThreads, 2)
    convolve(const float *__restrict__ x, float *__restrict__ out, int in_channels) {
  __shared__ Buffer buffers[2];
  const int t = threadIdx.x, lane = t % 32, first_channel = t / 32 * kChannels;
  const int group = lane % kGroups, row = lane / kGroups;
  const int first_row = blockIdx.x * kRows;
  x += (size_t)blockIdx.y * in_channels * (kHeight * kWidth);

  const auto fetch = [&](Buffer &buffer, int chunk) {
    const float4 *from = ordered + chunk * kChunk * 9 * (kOut / 4);
    float4 *to = &buffer.weights[0][0];
    for (int i = t; i < kChunk * 9 * (kOut / 4); i += kThreads) __pipeline_memcpy_async(&to[i], &from[i], 16);
    for (int i = t; i < kChunk * (kRows + 2) * (kWidth + 2); i += kThreads) {
      const int column = i % (kWidth + 2), line = i / (kWidth + 2) % (kRows + 2);
      const int channel = i / (kWidth + 2) / (kRows + 2);
      const int in_x = column - 1, in_y = first_row + line - 1;
      const bool inside = in_x >= 0 && in_x < kWidth && in_y >= 0 && in_y < kHeight;
      const int at = inside ? ((chunk * kChunk + channel) * kHeight + in_y) * kWidth + in_x : 0;
      __pipeline_memcpy_async(&buffer.input[channel][line][column], &x[at], 4, inside ? 0 : 4);
    }
    __pipeline_commit();
  };

  float sum[kChannels][kPixels] = {};
  const int chunks = in_channels / kChunk;
  fetch(buffers[0], 0);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    __pipeline_wait_prior(0);
    __syncthreads();  // this chunk is there, and nobody reads the other buffer any more
    if (chunk + 1 < chunks) fetch(buffers[(chunk + 1) % 2], chunk + 1);
    const Buffer &buffer = buffers[chunk % 2];
#pragma unroll 1
    for (int c = 0; c < kChunk; ++c) {
#pragma unroll
      for (int ky = 0; ky < 3; ++ky) {
        float in[kPixels + 2];
#pragma unroll
        for (int i = 0; i < kPixels + 2; ++i) in[i] = buffer.input[c][row + ky][group * kPixels + i];
#pragma unroll
        for (int kx = 0; kx < 3; ++kx) {
          const float4 *w = &buffer.weights[c * 9 + ky * 3 + kx][first_channel / 4];
          const float4 low = w[0], high = w[1];
          const float weights[kChannels] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
          for (int k = 0; k < kChannels; ++k)
#pragma unroll
            for (int i = 0; i < kPixels; ++i) sum[k][i] += weights[k] * in[i + kx];
        }
      }
    }
  }
  out += (((size_t)blockIdx.y * kOut + first_channel) * kHeight + first_row + row) * kWidth + group * kPixels;
#pragma unroll
  for (int k = 0; k < kChannels; ++k)
#pragma unroll
    for (int i = 0; i < kPixels; ++i) out[k * kHeight * kWidth + i] = sum[k][i];
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *x = *(const float **)arguments[0], *weights = *(const float **)arguments[1];
  float *out = *(float **)arguments[2];
  // 64 output channels, 56 x 56 pixels; the input channels are a multiple of 4, up to 512.
  const int images = *(int *)arguments[3], in_channels = *(int *)arguments[4];
  reorder<<<(in_channels * 9 * kOut + 255) / 256, 256, 0, stream>>>(weights, in_channels);
  convolve<<<dim3(kHeight / kRows, images), kThreads, 0, stream>>>(x, out, in_channels);
}
