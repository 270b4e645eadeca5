// Classification of hyperspectral pixels: each pixel gets the label of the reference spectrum that
// is nearest in squared distance, with a margin that tells how clear the choice was. The image is
// stored band by band, so neighbouring threads load neighbouring pixels.

__global__ void __launch_bounds__(128)
    assign_spectra(const float* __restrict__ image, const float* __restrict__ references,
                   const float* __restrict__ weights, int* __restrict__ labels,
                   float* __restrict__ margins, int pixels, int bands, int materials) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  float best = INFINITY, second = INFINITY;
  int label = -1;
  for (int material = 0; material < materials; ++material) {
    const float* reference = references + material * bands;
    float distance = 0;
#pragma unroll 16
    for (int band = 0; band < bands; ++band) {
      float off = image[band * pixels + i] - reference[band];
      distance += weights[band] * off * off;
    }
    if (distance < best) {
      second = best;
      best = distance;
      label = material;
    } else if (distance < second) {
      second = distance;
    }
  }
  labels[i] = label;
  margins[i] = second - best;
}
