// The volume that a mole of gas takes at a given pressure and temperature, by the equation of
// Redlich and Kwong and Newton's method. The derivative comes along by itself: numbers are dual.

struct Dual {
  float value, slope;
};

__device__ __noinline__ Dual times(Dual a, Dual b) {
  return {a.value * b.value, a.value * b.slope + a.slope * b.value};
}

__device__ __noinline__ Dual over(Dual a, Dual b) {
  float inverse = __fdividef(1.0f, b.value);
  float value = a.value * inverse;
  return {value, (a.slope - value * b.slope) * inverse};
}

__device__ __forceinline__ Dual plus(Dual a, float b) {
  return {a.value + b, a.slope};
}
__device__ __forceinline__ Dual minus(Dual a, Dual b) {
  return {a.value - b.value, a.slope - b.slope};
}

// How far the pressure of a gas of this volume is from the one wanted.
__device__ __forceinline__ Dual excess(Dual volume, float heat, float attraction, float size,
                                       float pressure) {
  Dual repelled = over({heat, 0.0f}, plus(volume, -size));
  Dual attracted = over({attraction, 0.0f}, times(volume, plus(volume, size)));
  return plus(minus(repelled, attracted), -pressure);
}

__global__ void molar_volumes(const float* __restrict__ pressures,
                              const float* __restrict__ temperatures, float* __restrict__ volumes,
                              int count, int steps, float strength, float size) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    float pressure = 1.0f + 9.0f * pressures[i];
    float temperature = 300.0f + 200.0f * temperatures[i];
    float heat = 0.08314f * temperature;
    float attraction = strength * rsqrtf(temperature);
    Dual volume = {heat / pressure, 1.0f};
    for (int k = 0; k < steps; ++k) {
      Dual off = excess(volume, heat, attraction, size, pressure);
      float change = __fdividef(off.value, off.slope);
      volume.value = fmaxf(volume.value - change, 1.01f * size);
    }
    volumes[i] = volume.value;
  }
}
