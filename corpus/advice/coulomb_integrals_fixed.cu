// Electron repulsion in a quantum chemistry program: every thread has a charge distribution and a
// list of partners, as exponents and distances; each pair contributes the Boys function of their
// separation, summed as a power series until its terms no longer count.

// F0(x) = exp(-x) * sum of (2x)^k / (1 * 3 * ... * (2k + 1))
__device__ __forceinline__ float boys(float x) {
  float term = 1.0f, sum = 1.0f, odd = 1.0f;
  do {
    odd += 2.0f;
    term *= __fdividef(2.0f * x, odd);
    sum += term;
  } while (term > 1e-5f * sum);
  return __expf(-x) * sum;
}

// `exponents` and `distances` have a row per place of the lists and a column per thread.
__global__ void __launch_bounds__(128)
    coulomb_integrals(const float* __restrict__ own, const float* __restrict__ exponents,
                      const float* __restrict__ distances, float* __restrict__ repulsion,
                      int charges, int partners, float reach) {
  int charge = blockIdx.x * 128 + threadIdx.x;
  if (charge >= charges) return;
  float exponent = 0.5f + own[charge];
  const float* other = exponents + charge;
  const float* apart = distances + charge;
  float next_exponent = *other, next_distance = *apart;
  float sum = 0;
  for (int k = 0; k < partners; ++k) {
    float q = 0.5f + next_exponent;
    float distance = reach * next_distance;
    if (k + 1 < partners) {
      other += charges;
      apart += charges;
      next_exponent = *other;
      next_distance = *apart;
    }
    float both = exponent + q;
    float x = __fdividef(exponent * q, both) * distance * distance;
    sum += 1.1283792f * sqrtf(__fdividef(exponent * q, both)) * boys(x);
  }
  repulsion[charge] = sum;
}
