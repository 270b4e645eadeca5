// Sums over the terms of a series, with the powers of a value beside the sum, and by Horner's rule.

__global__ void sum_of_powers(const float* __restrict__ at, const float* __restrict__ factors,
                              float* __restrict__ sums, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = at[i];
  float sum = 0;
  float power = 1;
  for (int k = 0; k < terms; ++k) {
    sum += factors[k] * power;
    power *= x;
  }
  sums[i] = sum;
}

__global__ void sum_by_horner(const float* __restrict__ at, const float* __restrict__ factors,
                              float* __restrict__ sums, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = at[i];
  float sum = 0;
  for (int k = terms - 1; k >= 0; --k) sum = sum * x + factors[k];
  sums[i] = sum;
}

// The decayed weight is an output too: it cannot be left out.
__global__ void decayed(const float* __restrict__ at, float* __restrict__ sums, int terms,
                        float decay) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  float weight = 1;
  for (int k = 0; k < terms; ++k) {
    sum += at[i + k] * weight;
    sums[i * terms + k] = weight;
    weight *= decay;
  }
  sums[i] = sum;
}
