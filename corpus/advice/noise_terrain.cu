// A height field from octaves of value noise.

__device__ __noinline__ float lattice_noise(int x, int y, unsigned seed) {
  unsigned word = x * 0x8da6b343u + y * 0xd8163841u + seed;
  word ^= word >> 15;
  word *= 0x2c1b3c6du;
  word ^= word >> 12;
  return static_cast<float>(word >> 8) * (1.0f / 16777216.0f);
}

__global__ void noise_terrain(float* __restrict__ heights, int width, int height, int octaves) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float frequency = 1.0f / 256.0f;
  float amplitude = 0.5f;
  float sum = 0;

  for (int octave = 0; octave < octaves; ++octave) {
    float fx = px * frequency;
    float fy = py * frequency;
    int x = static_cast<int>(fx);
    int y = static_cast<int>(fy);
    float u = fx - x;
    float v = fy - y;
    u = u * u * (3.0f - 2.0f * u);
    v = v * v * (3.0f - 2.0f * v);

    float a = lattice_noise(x, y, octave);
    float b = lattice_noise(x + 1, y, octave);
    float c = lattice_noise(x, y + 1, octave);
    float d = lattice_noise(x + 1, y + 1, octave);
    float upper = a + u * (b - a);
    float lower = c + u * (d - c);
    sum += amplitude * (upper + v * (lower - upper));

    frequency *= 2.0f;
    amplitude *= 0.5f;
  }
  heights[py * width + px] = sum;
}
