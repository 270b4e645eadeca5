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

  float below = 0, here = 0, above = 0;
  for (int z = first - 1; z <= first + depth; ++z) {
    below = here;
    here = above;
    above = 0;
    if (z >= 0 && z < planes) {
#pragma unroll
      for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx) {
          above += in[z * plane + (y + dy) * width + x + dx];
        }
      }
    }
    if (z <= first) continue;
    bool inside = z - 1 > 0 && z - 1 < planes - 1;
    float sum = below + here + above;
    out[(z - 1) * plane + y * width + x] = inside ? sum * (1.0f / 27.0f) : 0;
  }
}
