// Pooling of pictures or feature maps that lie with channels last: of each 2×2 window the largest
// value and, for another branch of the network, the mean. Elements of the output are
// counted through; a thread has one.

#include <cuda_fp16.h>

struct Shape {
  int batch, height, width, channels;  // of the output
};

struct Element {
  int image, y, x, channel;
};

__device__ __forceinline__ Element element_of(int index, const Shape& shape) {
  Element element;
  element.channel = index % shape.channels;
  index /= shape.channels;
  element.x = index % shape.width;
  index /= shape.width;
  element.y = index % shape.height;
  element.image = index / shape.height;
  return element;
}

__global__ void pool_maps(const __half* __restrict__ maps, __half* __restrict__ largest,
                          __half* __restrict__ means, Shape shape) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= shape.batch * shape.height * shape.width * shape.channels) return;
  Element at = element_of(index, shape);
  int row = shape.width * 2 * shape.channels;
  int first = ((at.image * shape.height + at.y) * 2) * row + at.x * 2 * shape.channels + at.channel;

  float a = __half2float(maps[first]);
  float b = __half2float(maps[first + shape.channels]);
  float c = __half2float(maps[first + row]);
  float d = __half2float(maps[first + row + shape.channels]);
  int place = ((at.image * shape.height + at.y) * shape.width + at.x) * shape.channels + at.channel;
  largest[place] = __float2half(fmaxf(fmaxf(a, b), fmaxf(c, d)));
  means[place] = __float2half(0.25f * ((a + b) + (c + d)));
}
