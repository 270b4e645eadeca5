// Quasi-Monte Carlo integration: each thread makes one point of the Halton sequence, whose k-th
// coordinate mirrors the digits of the point's number in the k-th prime base, and evaluates Sobol's
// product function there. A second kernel averages the values.

__constant__ unsigned primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

__device__ float mirrored(unsigned number, unsigned base) {
  float place = 1.0f / static_cast<float>(base);
  float shrink = place, sum = 0;
  while (number != 0) {
    unsigned rest = number / base;
    unsigned digit = number - rest * base;
    sum += place * static_cast<float>(digit);
    place *= shrink;
    number = rest;
  }
  return sum;
}

// `flatness` has the weights of the dimensions, at most 16; `first` is the number of the first
// point.
__global__ void quasi_integrals(const float* __restrict__ flatness, float* __restrict__ values,
                                unsigned first, int points, int dimensions) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  float product = 1.0f;
  for (int k = 0; k < dimensions; ++k) {
    float x = mirrored(first + point, primes[k]);
    float flat = flatness[k];
    product *= __fdividef(fabsf(4.0f * x - 2.0f) + flat, 1.0f + flat);
  }
  values[point] = product;
}
