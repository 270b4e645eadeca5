// Gravitational lensing by a cluster of galaxies: where the light seen in each pixel comes from,
// when every galaxy bends it according to a halo of Navarro, Frenk and White's profile.

struct alignas(16) Halo {
  float x, y;    // in [0, 1) of the picture
  float radius;  // scale radius, same
  float mass;
};

struct Sky {
  int width, height, halos;
  float strength;
};

// Mass within a cylinder, over its radius squared.
__device__ float pull(float square, float radius) {
  float distance = sqrtf(square);
  float x = distance / radius;
  float enclosed = logf(1.0f + x) - x / (1.0f + x);
  return enclosed / square;
}

__global__ void __launch_bounds__(256)
    deflect_rays(const Halo* __restrict__ halos, float2* __restrict__ sources, Sky sky) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= sky.width || row >= sky.height) return;
  float x = (column + 0.5f) / sky.width, y = (row + 0.5f) / sky.height;
  float bent_x = 0, bent_y = 0;
  for (int k = 0; k < sky.halos; ++k) {
    Halo halo = halos[k];
    float dx = x - halo.x, dy = y - halo.y;
    float bend = halo.mass * pull(dx * dx + dy * dy + 1e-4f, 0.02f + 0.1f * halo.radius);
    bent_x += bend * dx;
    bent_y += bend * dy;
  }
  sources[row * sky.width + column] =
      make_float2(x - sky.strength * bent_x, y - sky.strength * bent_y);
}
