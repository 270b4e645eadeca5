// Where stars would stand on a plate without the telescope's distortion: for x and for y a sum of
// products of Chebyshev polynomials, whose coefficients the calibration has written into the code.

constexpr int kRows = 64, kTerms = 34;

// A coefficient, between −0.1 and 0.1.
__device__ __forceinline__ constexpr float coefficient(int axis, int row, int term) {
  return 0.0001f * static_cast<float>((row * 1237 + term * 337 + axis * 593) % 2053) - 0.1f;
}

// The shift along an axis: the terms of each row by Clenshaw's rule.
template <int axis>
__device__ __forceinline__ float shift(float x, float y) {
  float sum = 0;
  float before = x, polynomial = 1.0f;
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    float later = 0, last = 0;
#pragma unroll
    for (int term = kTerms - 1; term >= 0; --term) {
      float value = 2.0f * y * last + (coefficient(axis, row, term) - later);
      later = last;
      last = value;
    }
    sum += polynomial * (last - y * later);
    float next = 2.0f * x * polynomial - before;
    before = polynomial;
    polynomial = next;
  }
  return sum;
}

__global__ void correct_distortion(const float2* __restrict__ places,
                                   float2* __restrict__ corrected, int stars, float scale) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  for (int star = thread; star < stars; star += stride) {
    float2 place = places[star];
    float x = 2.0f * place.x - 1.0f;
    float y = 2.0f * place.y - 1.0f;
    float along_x = shift<0>(x, y);
    corrected[star].x = place.x + scale * along_x;
  }
  for (int star = thread; star < stars; star += stride) {
    float2 place = places[star];
    float x = 2.0f * place.x - 1.0f;
    float y = 2.0f * place.y - 1.0f;
    float along_y = shift<1>(x, y);
    corrected[star].y = place.y + scale * along_y;
  }
}
