// Synthesis step of a spectral weather model: from the coefficients of a field in spherical
// harmonics to the Fourier amplitudes along each circle of latitude of the tropics, by a sum over
// normalised Legendre functions. A block makes one circle and scales it to unit energy.

#define ORDERS 768
#define THREADS (ORDERS / 2)

struct alignas(8) Complex {
  float re, im;
};

// Sum over the degrees l >= m of coefficient times Legendre function, by upward recurrence.
__device__ Complex legendre_sum(const Complex* __restrict__ field, const float* odd, int m,
                                float first, float sine) {
  Complex sum = {0, 0};
  float before = 0, here = first, beta = 0;
  for (int l = m; l < ORDERS; ++l) {
    Complex c = field[(l - m) * ORDERS + m];
    sum.re += c.re * here;
    sum.im += c.im * here;
    float square = static_cast<float>((l + 1 - m) * (l + 1 + m)) * odd[l + 1];
    float alpha = rsqrtf(square);
    float after = alpha * (sine * here - beta * before);
    beta = square * alpha;
    before = here;
    here = after;
  }
  return sum;
}

// `field` has a column per order m and a row per degree above it; `sectoral` has the functions of
// degree m by circle.
__global__ void weather_rings(const Complex* __restrict__ field,
                              const float* __restrict__ sectoral, Complex* __restrict__ rings) {
  __shared__ float odd[ORDERS + 1];
  __shared__ Complex amplitudes[ORDERS];
  __shared__ float energies[THREADS / 32];
  int ring = blockIdx.x, thread = threadIdx.x;
  for (int l = thread; l <= ORDERS; l += THREADS) odd[l] = 1.0f / fmaf(4.0f * l, l, -1.0f);
  __syncthreads();

  float sine = 0.3f * ((2 * ring + 1.0f) / gridDim.x - 1.0f);
  const float* start = sectoral + ring * ORDERS;
  for (int part = 0; part < 2; ++part) {
    int m = part * THREADS + thread;
    amplitudes[m] = legendre_sum(field, odd, m, start[m], sine);
  }
  __syncthreads();

  Complex a = amplitudes[thread], b = amplitudes[thread + THREADS];
  float energy = a.re * a.re + a.im * a.im + b.re * b.re + b.im * b.im;
  for (int step = 16; step > 0; step /= 2) energy += __shfl_down_sync(~0u, energy, step);
  if (thread % 32 == 0) energies[thread / 32] = energy;
  __syncthreads();
  float total = 0;
  for (int k = 0; k < THREADS / 32; ++k) total += energies[k];
  float scale = rsqrtf(total + 1e-12f);
  rings[ring * ORDERS + thread] = {a.re * scale, a.im * scale};
  rings[ring * ORDERS + THREADS + thread] = {b.re * scale, b.im * scale};
}
