// interleaved RGB bytes to grey with half output
#include <cuda_fp16.h>
extern "C" __global__ void gray(const unsigned char* rgb, __half* out, int n, float gain) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
  float y = 0.299f * r + 0.587f * g + 0.114f * b;
  out[i] = __float2half(y * gain / 255.0f);
}
