// What the channels of an infrared satellite instrument would measure above surfaces of given
// temperatures: the Planck radiances of a fine grid of wavenumbers, weighted with the spectral
// response of a channel and the emissivity of the surface.

struct Grid {
  float first, step;  // wavenumbers, per centimetre
  int count;
};

constexpr float kFirst = 1.191043e-5f;  // mW / (m^2 sr cm^-4)
constexpr float kSecond = 1.438777f;    // K cm

__device__ float planck(float wavenumber, float temperature) {
  float ratio = kSecond * wavenumber / temperature;
  return kFirst * wavenumber * wavenumber * wavenumber / (expf(ratio) - 1.0f);
}

__global__ void planck_bands(const float* __restrict__ warmth, const float* __restrict__ emissivity,
                             const float* __restrict__ response, float* __restrict__ radiances,
                             int cells, Grid grid) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  float temperature = 200.0f + 120.0f * warmth[cell];

  float sum = 0.0f;
  for (int k = 0; k < grid.count; ++k) {
    float wavenumber = grid.first + k * grid.step;
    sum += response[k] * planck(wavenumber, temperature);
  }
  radiances[cell] = (0.8f + 0.2f * emissivity[cell]) * sum * grid.step * 1e-3f;
}
