// The Lomb-Scargle periodogram of a star's brightness, observed at irregular times: a thread per
// frequency.

__global__ void light_curve_periods(const float2* __restrict__ observations,
                                    float* __restrict__ powers, int frequencies, int count,
                                    float lowest, float spacing, float mean) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= frequencies) return;
  float frequency = lowest + spacing * static_cast<float>(k);
  float cosines = 0, sines = 0;                  // with the brightness
  float squares = 0, products = 0, sine_sum = 0;  // of the waves alone

#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    float2 seen = observations[i];
    float turns = frequency * seen.x;
    float angle = 6.2831853f * (turns - rintf(turns));
    float sine, cosine;
    __sincosf(angle, &sine, &cosine);
    float value = seen.y - mean;
    cosines += value * cosine;
    sines += value * sine;
    squares += cosine * cosine;
    products += cosine * sine;
    sine_sum += sine * sine;
  }

  // The power of the best sine and cosine together.
  float below = squares * sine_sum - products * products;
  float above = cosines * cosines * sine_sum + sines * sines * squares -
                2.0f * cosines * sines * products;
  powers[k] = below > 1e-3f ? above / below : 0.0f;
}
