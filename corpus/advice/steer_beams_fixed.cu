// The pattern of a phased array: how strongly it radiates into each direction, given where its
// elements are and how each is driven. One direction a thread; the elements, up to 256, are in
// shared memory. Directions are the cosines u and v to the axes of the array.
#include <math.h>

constexpr int kMost = 256;

struct Element {
  float x, y;  // wavelengths
  float amplitude;
  float delay;  // of a turn
};

struct Scan {
  int width, height;
  float step;  // between directions
};

__device__ __forceinline__ float phase_of(const Element& element, float u, float v) {
  float turns = element.x * u + element.y * v - element.delay;
  return 2 * static_cast<float>(M_PI) * turns;
}

__global__ void __launch_bounds__(256)
    steer_beams(const Element* __restrict__ elements, float* __restrict__ pattern, int count,
                Scan scan) {
  __shared__ Element array[kMost];
  for (int k = threadIdx.x; k < count; k += blockDim.x) array[k] = elements[k];
  __syncthreads();
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= scan.width) return;
  float u = (column - scan.width / 2) * scan.step;
  float v = (row - scan.height / 2) * scan.step;

  float real = 0, imaginary = 0;
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    float sine, cosine;
    __sincosf(phase_of(array[k], u, v), &sine, &cosine);
    real += array[k].amplitude * cosine;
    imaginary += array[k].amplitude * sine;
  }
  bool visible = u * u + v * v < 1.0f;
  pattern[row * scan.width + column] = visible ? real * real + imaginary * imaginary : 0.0f;
}
