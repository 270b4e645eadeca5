// The mean over 27 points of a volume: a thread walks `depth` planes along z. Edges are left alone.

__global__ void smooth_volume(const float* __restrict__ in, float* __restrict__ out, int width,
                              int height, int planes, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int plane = width * height;
  int first = blockIdx.z * depth;
  if (x >= width || y >= height) return;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    for (int z = first; z < first + depth; ++z) out[z * plane + y * width + x] = 0;
    return;
  }

  for (int z = first; z < first + depth; ++z) {
    if (z == 0 || z == planes - 1) {
      out[z * plane + y * width + x] = 0;
      continue;
    }
    float sum = 0;
#pragma unroll
    for (int dz = -1; dz <= 1; ++dz) {
#pragma unroll
      for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx) {
          sum += in[(z + dz) * plane + (y + dy) * width + x + dx];
        }
      }
    }
    out[z * plane + y * width + x] = sum * (1.0f / 27.0f);
  }
}
