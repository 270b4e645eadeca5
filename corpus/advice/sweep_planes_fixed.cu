// A step of the sound waves that a survey sends into the ground: a block has a tile of 32 by 8
// columns and goes down plane after plane, the planes above and below in registers, its own in
// shared memory with a rim of one. What lies outside is still.

constexpr int kWide = 32, kHigh = 8;

struct Ground {
  int width, height, depth;
};

__device__ __forceinline__ float at(const float* field, const Ground& ground, int x, int y, int z) {
  bool inside = x >= 0 && x < ground.width && y >= 0 && y < ground.height && z < ground.depth;
  return inside ? field[(static_cast<size_t>(z) * ground.height + y) * ground.width + x] : 0.0f;
}

__global__ void __launch_bounds__(kWide* kHigh)
    sweep_planes(const float* __restrict__ now, const float* __restrict__ speeds,
                 float* __restrict__ field, Ground ground) {
  __shared__ float plane[kHigh + 2][kWide + 2];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * kWide + tx, y = blockIdx.y * kHigh + ty;
  size_t place = static_cast<size_t>(y) * ground.width + x;
  size_t area = static_cast<size_t>(ground.width) * ground.height;

  float above = 0, own = at(now, ground, x, y, 0), below = at(now, ground, x, y, 1);
  float speed = speeds[place], before = field[place];
  for (int z = 0; z < ground.depth; ++z) {
    float next_below = at(now, ground, x, y, z + 2), next_speed = 0, next_before = 0;
    if (z + 1 < ground.depth) {
      next_speed = speeds[place + area];
      next_before = field[place + area];
    }
    plane[ty + 1][tx + 1] = own;
    if (ty == 0) plane[0][tx + 1] = at(now, ground, x, y - 1, z);
    if (ty == kHigh - 1) plane[kHigh + 1][tx + 1] = at(now, ground, x, y + 1, z);
    if (tx == 0) plane[ty + 1][0] = at(now, ground, x - 1, y, z);
    if (tx == kWide - 1) plane[ty + 1][kWide + 1] = at(now, ground, x + 1, y, z);
    __syncthreads();

    float around = plane[ty + 1][tx] + plane[ty + 1][tx + 2] + plane[ty][tx + 1] +
                   plane[ty + 2][tx + 1] + above + below - 6.0f * own;
    field[place] = 2.0f * own - before + 0.1f * speed * speed * around;
    above = own;
    own = below;
    below = next_below;
    speed = next_speed;
    before = next_before;
    place += area;
    __syncthreads();
  }
}
