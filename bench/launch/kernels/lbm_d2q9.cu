// A lattice-Boltzmann step in the plane: nine directions are streamed (periodic borders) and
// relaxed.
__global__ void lbm_d2q9(const float* before, float* after, float rate, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  const int dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float weight[9] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                           1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
  const int cells = width * height;
  float f[9];
  float density = 0, px = 0, py = 0;
#pragma unroll
  for (int d = 0; d < 9; ++d) {
    int from_x = x - dx[d], from_y = y - dy[d];
    from_x += from_x < 0 ? width : from_x >= width ? -width : 0;
    from_y += from_y < 0 ? height : from_y >= height ? -height : 0;
    f[d] = before[d * cells + from_y * width + from_x];
    density += f[d];
    px += dx[d] * f[d];
    py += dy[d] * f[d];
  }
  const float ux = px / (density + 0.01f), uy = py / (density + 0.01f);
  const float squared = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int d = 0; d < 9; ++d) {
    const float along = 3 * (dx[d] * ux + dy[d] * uy);
    const float rest = weight[d] * density * (1 + along + 0.5f * along * along - squared);
    after[d * cells + y * width + x] = f[d] + rate * (rest - f[d]);
  }
}
