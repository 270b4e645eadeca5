// Eight polynomials a thread side by side by Horner's rule: multiply-adds in single precision and
// next to nothing else, so that they run at the rate of the units.

__global__ void polynomials_f32(float* __restrict__ out, float x, int degree) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float values[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) values[k] = static_cast<float>(thread + k);

#pragma unroll 8
  for (int power = 0; power < degree; ++power) {
#pragma unroll
    for (int k = 0; k < 8; ++k) values[k] = fmaf(values[k], x, 0.5f);
  }

  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += values[k];
  out[thread] = sum;
}
