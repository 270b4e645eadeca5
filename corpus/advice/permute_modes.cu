// Permutation of the modes of a tensor of six modes, scaled: element (i0, …, i5) of the result
// comes from the place in the input that the strides give. The extents are known at run time only.

constexpr int kModes = 6;

struct Shape {
  unsigned extents[kModes];  // of the result, fastest first
  unsigned strides[kModes];  // in the input, of the same modes
};

__device__ __forceinline__ unsigned place_of(unsigned index, const Shape& shape) {
  unsigned rest = index, place = 0;
#pragma unroll
  for (int mode = 0; mode < kModes - 1; ++mode) {
    unsigned quotient = rest / shape.extents[mode];
    unsigned digit = rest - quotient * shape.extents[mode];
    place += digit * shape.strides[mode];
    rest = quotient;
  }
  return place + rest * shape.strides[kModes - 1];
}

__global__ void __launch_bounds__(256)
    permute_modes(const float* __restrict__ tensor, float* __restrict__ permuted, unsigned count,
                  float scale, float add, Shape shape) {
  unsigned stride = gridDim.x * blockDim.x;
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  // Two elements per iteration, so that two loads are in flight.
  for (; index + stride < count; index += 2 * stride) {
    float one = tensor[place_of(index, shape)];
    float two = tensor[place_of(index + stride, shape)];
    permuted[index] = scale * one + add;
    permuted[index + stride] = scale * two + add;
  }
  if (index < count) permuted[index] = scale * tensor[place_of(index, shape)] + add;
}
