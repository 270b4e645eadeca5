// Magnetic resonance imaging: the matrix Q, a sum over all samples for each voxel.
__global__ void mri_q(const float* x, const float* y, const float* z, const float4* samples, float* real, float* imaginary,
                      int count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float voxel_x = x[i], voxel_y = y[i], voxel_z = z[i];
  float sum_real = 0, sum_imaginary = 0;
  for (int k = 0; k < count; ++k) {
    const float4 sample = samples[k];
    const float angle = 6.2831853f * (sample.x * voxel_x + sample.y * voxel_y + sample.z * voxel_z);
    sum_real += sample.w * __cosf(angle);
    sum_imaginary += sample.w * __sinf(angle);
  }
  real[i] = sum_real;
  imaginary[i] = sum_imaginary;
}
