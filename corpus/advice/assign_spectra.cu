// Classification of hyperspectral pixels: each pixel gets the label of the reference spectrum that
// is nearest in weighted squared distance. A spectrum is given up as soon as it is farther away
// than the best so far. The image is stored band by band, so neighbouring threads load neighbouring
// pixels.

struct Cube {
  int pixels, bands, materials;  // bands: a multiple of 8
};

__device__ __forceinline__ float term(float value, float reference, float weight) {
  float off = value - reference;
  return weight * off * off;
}

// The distance of a pixel from a spectrum, or what it has come to when it exceeds the limit.
__device__ __forceinline__ float distance_to(const float* __restrict__ pixel,
                                             const float* __restrict__ spectrum,
                                             const float* __restrict__ weights, float limit,
                                             const Cube& cube) {
  float distance = 0;
  for (int band = 0; band < cube.bands; ++band) {
    float value = pixel[band * cube.pixels];
    distance += term(value, spectrum[band], weights[band]);
    if (distance >= limit) break;
  }
  return distance;
}

__global__ void __launch_bounds__(128)
    assign_spectra(const float* __restrict__ image, const float* __restrict__ spectra,
                   const float* __restrict__ weights, int* __restrict__ labels,
                   float* __restrict__ distances, Cube cube) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cube.pixels) return;
  float best = INFINITY;
  int label = -1;
  for (int material = 0; material < cube.materials; ++material) {
    const float* spectrum = spectra + material * cube.bands;
    float distance = distance_to(image + i, spectrum, weights, best, cube);
    if (distance < best) {
      best = distance;
      label = material;
    }
  }
  labels[i] = label;
  distances[i] = best;
}
