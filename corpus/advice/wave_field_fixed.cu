// The electric field of an FDTD step in a plane, whose fastest index is y, with lossy edges.

__global__ void wave_field(float* __restrict__ ez, const float* __restrict__ hx,
                           const float* __restrict__ hy, const float* __restrict__ permittivity,
                           int width, int height, float step) {
  int x = blockIdx.y * blockDim.y + threadIdx.y;
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width || y >= height) return;
  int i = x * height + y;
  float field = ez[i];

  bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  if (edge) {
    ez[i] = 0.5f * field;
    return;
  }

  float curl = 0;
  curl += hy[i];
  curl -= hy[i - height];
  curl -= hx[i];
  curl += hx[i - 1];

  float inverse = __fdividef(1.0f, 1.0f + permittivity[i]);
  float change = step * inverse * curl;
  int from_edge = min(min(x, width - 1 - x), min(y, height - 1 - y));
  float loss = 0;
  if (from_edge < 16) {
    loss = 0.01f * static_cast<float>(16 - from_edge);
  }
  ez[i] = (1.0f - loss) * field + change;
}
