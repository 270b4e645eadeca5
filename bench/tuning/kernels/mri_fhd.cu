// The vector Fᴴd of magnetic resonance image reconstruction: for each of n voxels, the sum over all
// samples of the sample's value times exp(i · 2π · k · x), with the parameters of MRI-FHD in
// "Program optimization carving for GPU computing", Table 3.
//
//   unroll_samples       unroll factor of the loop over samples
//   work_per_invocation  samples per launch; the launch that starts with sample 0 sets the result,
//                        the others add to it. Only the launches depend on it, not the kernel.
#ifndef block_size_x
#define block_size_x 256
#define unroll_samples 4
#define work_per_invocation 1024
#endif

constexpr float kTwoPi = 6.283185307f;
constexpr int kSamples = 3072;
constexpr int kUnroll = unroll_samples;

struct Sample {
  float kx, ky, kz;
  float real, imaginary;
};

__constant__ Sample samples[kSamples];

extern "C" __global__ void __launch_bounds__(block_size_x)
    mri_fhd(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
            float* __restrict__ real, float* __restrict__ imaginary, int n, int first, int count) {
  int voxel = blockIdx.x * block_size_x + threadIdx.x;
  if (voxel >= n) return;
  float at_x = kTwoPi * x[voxel];
  float at_y = kTwoPi * y[voxel];
  float at_z = kTwoPi * z[voxel];
  float sum_real = first == 0 ? 0 : real[voxel];
  float sum_imaginary = first == 0 ? 0 : imaginary[voxel];
#pragma unroll kUnroll
  for (int s = first; s < first + count; ++s) {
    float angle = samples[s].kx * at_x + samples[s].ky * at_y + samples[s].kz * at_z;
    float cosine = __cosf(angle);
    float sine = __sinf(angle);
    sum_real += samples[s].real * cosine - samples[s].imaginary * sine;
    sum_imaginary += samples[s].imaginary * cosine + samples[s].real * sine;
  }
  real[voxel] = sum_real;
  imaginary[voxel] = sum_imaginary;
}

// All samples at once with exact sines, 256 threads.
extern "C" __global__ void mri_fhd_reference(const float* x, const float* y, const float* z,
                                             float* real, float* imaginary, int n, int first,
                                             int count) {
  int voxel = blockIdx.x * 256 + threadIdx.x;
  if (voxel >= n) return;
  float sum_real = 0;
  float sum_imaginary = 0;
  for (const Sample& sample : samples) {
    float angle = kTwoPi * (sample.kx * x[voxel] + sample.ky * y[voxel] + sample.kz * z[voxel]);
    float cosine = cosf(angle);
    float sine = sinf(angle);
    sum_real += sample.real * cosine - sample.imaginary * sine;
    sum_imaginary += sample.imaginary * cosine + sample.real * sine;
  }
  real[voxel] = sum_real;
  imaginary[voxel] = sum_imaginary;
}
