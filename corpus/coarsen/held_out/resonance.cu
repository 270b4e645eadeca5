// Magnetic resonance (kind mriQ): a sum over all samples for every voxel.

// The samples' magnitudes.
__global__ void mri_magnitude(const float* __restrict__ real, const float* __restrict__ imaginary,
                              float* __restrict__ magnitude, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

// Double precision; stops early where the sum has grown large enough.
__global__ void mri_q_double(const double* __restrict__ voxels, const double* __restrict__ samples,
                             double* __restrict__ out, int n, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    double phase = samples[k] * voxels[i];
    sum += 1 - phase * phase * (0.5 - phase * phase / 24);
    if (sum > 30 + 20 * voxels[i]) break;
  }
  out[i] = sum;
}
