// The 3×3 patches of a batch of feature maps, laid out as the columns of a matrix, so that a
// convolution becomes a product of matrices (im2col). Elements are counted in 64 bits: large
// batches have more than 2³¹ of them.

#include <cuda_fp16.h>

constexpr int kSide = 3;
using Index = long long;

struct Shape {
  int channels, height, width;
};

// Where an element of the matrix comes from; a patch may reach over the edge by one.
struct Source {
  Index image, channel;
  int y, x;
  __device__ bool inside(const Shape& shape) const {
    return y >= 0 && y < shape.height && x >= 0 && x < shape.width;
  }
};

__device__ __forceinline__ Source source_of(Index element, const Shape& shape) {
  Index x = element % shape.width;
  Index y = element / shape.width % shape.height;
  Index rest = element / (static_cast<Index>(shape.width) * shape.height);
  int tap = static_cast<int>(rest % (kSide * kSide));
  Index plane = rest / (kSide * kSide);
  Source source;
  source.channel = plane % shape.channels;
  source.image = plane / shape.channels;
  source.y = static_cast<int>(y) + tap / kSide - 1;
  source.x = static_cast<int>(x) + tap % kSide - 1;
  return source;
}

__global__ void unfold_patches(const __half* __restrict__ maps, __half* __restrict__ columns,
                               Index elements, int channels, int height, int width) {
  Shape shape = {channels, height, width};
  Index stride = static_cast<Index>(gridDim.x) * blockDim.x;
  Index thread = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (Index element = thread; element < elements; element += stride) {
    Source source = source_of(element, shape);
    __half value = __float2half(0.0f);
    if (source.inside(shape)) {
      Index row = (source.image * channels + source.channel) * height + source.y;
      value = maps[row * width + source.x];
    }
    columns[element] = value;
  }
}
