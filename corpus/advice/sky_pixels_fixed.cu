// Do cosmic rays come from everywhere alike? The directions of those with enough energy are
// counted in 48 pixels of the sky that are equally large (HEALPix with two pixels along a side of
// each base pixel, in rings from the north pole to the south pole).

constexpr int kSide = 2, kPixels = 12 * kSide * kSide;

// Around a pole the rings are triangles, one for each quarter of the turn.
__device__ __forceinline__ int cap_pixel(float height, float turned, bool north) {
  float quarters = 4.0f * turned, across = quarters - floorf(quarters);
  float sigma = kSide * __fsqrt_rn(3.0f * (1.0f - fabsf(height)));
  int rising = static_cast<int>(across * sigma), falling = static_cast<int>(sigma - across * sigma);
  int ring = rising + falling + 1;  // from the pole
  int place = static_cast<int>(quarters * ring);
  return north ? 2 * ring * (ring - 1) + place : kPixels - 2 * ring * (ring + 1) + place;
}

__device__ __forceinline__ int belt_pixel(float height, float turned) {
  float right = kSide * (0.5f + 4.0f * turned), down = kSide * 0.75f * height;
  int rising = static_cast<int>(right - down), falling = static_cast<int>(right + down);
  int ring = kSide + 1 + rising - falling;  // from 1, within the belt
  int shift = ring % 2 == 0 ? 1 : 0;
  int place = (rising + falling - kSide + shift + 1) / 2;
  return 2 * kSide * (kSide - 1) + (ring - 1) * 4 * kSide + (place & (4 * kSide - 1));
}

__device__ __forceinline__ int pixel_of(float height, float turned) {
  bool belt = fabsf(height) <= 0.6666667f;
  return belt ? belt_pixel(height, turned) : cap_pixel(height, turned, height > 0.0f);
}

// Heights are sines of the declination, scaled to 0 to 1.
__global__ void __launch_bounds__(256)
    sky_pixels(const float* __restrict__ heights, const float* __restrict__ azimuths,
               const float* __restrict__ energies, int* __restrict__ counts, int events,
               float least) {
  __shared__ int own[kPixels];
  if (threadIdx.x < kPixels) own[threadIdx.x] = 0;
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < events; i += stride) {
    float height = 2.0f * heights[i] - 1.0f, azimuth = azimuths[i];
    if (energies[i] >= least) atomicAdd(&own[pixel_of(height, azimuth)], 1);
  }
  __syncthreads();
  if (threadIdx.x < kPixels) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
