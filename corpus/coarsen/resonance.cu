// Magnetic resonance (kind mriQ): a sum over all samples for every voxel.

struct Sample {
  float x, y, z, magnitude;
};

__constant__ float angles[24] = {0.1f, 0.7f, 0.3f,  0.9f, 0.25f, 0.6f, 0.45f, 0.8f,
                                 0.2f, 0.5f, 0.65f, 0.4f, 0.15f, 0.95f, 0.55f, 0.35f,
                                 0.75f, 0.85f, 0.05f, 0.42f, 0.58f, 0.91f, 0.33f, 0.27f};

// Sine and cosine with full range reduction, whose slow path has a local array.
__global__ void mri_q(const float* __restrict__ x, const float* __restrict__ y,
                      const float* __restrict__ z, float* __restrict__ real, float* __restrict__ imaginary,
                      int voxels, int samples) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= voxels) return;
  float own_x = x[i], own_y = y[i], own_z = z[i], re = 0, im = 0;
  for (int k = 0; k < samples; ++k) {
    float phase = 6.2831853f * (angles[3 * k] * own_x + angles[3 * k + 1] * own_y + angles[3 * k + 2] * own_z);
    re += cosf(phase);
    im += sinf(phase);
  }
  real[i] = re;
  imaginary[i] = im;
}

// Samples in chunks through shared memory; threads beyond the end help to load.
__global__ void mri_q_chunks(const float2* __restrict__ voxels, const float4* __restrict__ samples,
                             float2* __restrict__ out, int n, int count) {
  __shared__ Sample chunk[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 own = i < n ? voxels[i] : make_float2(0, 0);
  float re = 0, im = 0;
  for (int first = 0; first < count; first += 32) {
    if (threadIdx.x < 32) {
      float4 s = samples[first + threadIdx.x];
      chunk[threadIdx.x] = Sample{s.x, s.y, s.z, s.w};
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      float phase = chunk[k].x * own.x + chunk[k].y * own.y + chunk[k].z;
      re += chunk[k].magnitude * __cosf(phase);
      im += chunk[k].magnitude * __sinf(phase);
    }
    __syncthreads();
  }
  if (i < n) out[i] = make_float2(re, im);
}
