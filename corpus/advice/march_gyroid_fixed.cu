// Rays marched towards a gyroid surface: how bright each pixel is by the depth that its ray
// reaches.

__device__ float gyroid(float x, float y, float z) {
  float value = __sinf(x) * __cosf(y);
  value += __sinf(y) * __cosf(z);
  value += __sinf(z) * __cosf(x);
  return value;
}

__global__ void march_gyroid(float* __restrict__ picture, int width, int height, float scale,
                             int steps) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float u = scale * (2.0f * px / width - 1.0f);
  float v = scale * (2.0f * py / height - 1.0f);

  float length = rsqrtf(u * u + v * v + 1.0f);
  float dx = u * length;
  float dy = v * length;
  float dz = length;
  float depth = 0.25f;
  float glow = 0;

  for (int step = 0; step < steps; ++step) {
    float x = 3.0f + dx * depth;
    float y = 2.0f + dy * depth;
    float z = 1.0f + dz * depth;
    float distance = 0.35f * fabsf(gyroid(x, y, z)) + 0.02f;
    glow += 0.01f * __fdividef(1.0f, 0.1f + distance);
    depth += distance;
  }

  float fog = __expf(-0.25f * depth);
  glow = fminf(glow, 1.0f);
  float brightness = fog + 0.2f * glow;
  brightness = fminf(fmaxf(brightness, 0.0f), 1.0f);
  picture[py * width + px] = brightness;
}
