// A view through a volume that shows the brightest voxel along each ray (maximum intensity
// projection), and its depth. Places are in units of 1/65536 of a voxel; rays run inside the sphere
// that the volume turns in.

__global__ void brightest_voxels(const float* __restrict__ volume, float* __restrict__ view,
                                 int* __restrict__ depths, int size, int width, int height,
                                 int steps, float turn) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float radius = 0.28f * static_cast<float>(size);
  float across = radius * (2.0f * static_cast<float>(px) / static_cast<float>(width) - 1.0f);
  float upward = radius * (2.0f * static_cast<float>(py) / static_cast<float>(height) - 1.0f);
  float cosine = __cosf(turn), sine = __sinf(turn);

  float middle = 0.5f * static_cast<float>(size);
  float pace = 2.0f * radius / static_cast<float>(steps);
  int x = static_cast<int>(65536.0f * (middle + across * cosine + radius * sine));
  int y = static_cast<int>(65536.0f * (middle + upward));
  int z = static_cast<int>(65536.0f * (middle + across * sine - radius * cosine));
  int step_x = static_cast<int>(-65536.0f * pace * sine);
  int step_z = static_cast<int>(65536.0f * pace * cosine);

  float brightest = 0;
  int depth = 0;
  for (int step = 0; step < steps; ++step) {
    int ix = x >> 16, iy = y >> 16, iz = z >> 16;
    float value = volume[(iz * size + iy) * size + ix];
    if (value > brightest) depth = step;
    brightest = fmaxf(brightest, value);
    x += step_x;
    z += step_z;
  }
  view[py * width + px] = brightest;
  depths[py * width + px] = depth;
}
