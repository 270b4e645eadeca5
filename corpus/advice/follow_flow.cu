// Streamlines of a flow over a grid that wraps around, to be drawn: from each seed some steps along
// the velocity of the cell it is in. The colour of a line is made of how fast it is on the way, by
// a table of colours that the block holds in shared memory, as many as the launch makes room for.

struct Seed {
  float x, y;
};

struct Line {
  float x, y, length, colour;
};

__device__ __forceinline__ float wrapped(float at, float size) {
  if (at < 0.0f) at += size;
  return at >= size ? at - size : at;
}

__global__ void follow_flow(const float2* __restrict__ velocities, const Seed* __restrict__ seeds,
                            const float* __restrict__ colours, Line* __restrict__ lines, int count,
                            int side, int steps, int shades) {
  extern __shared__ float table[];
  for (int k = threadIdx.x; k < shades; k += blockDim.x) table[k] = colours[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float size = static_cast<float>(side);
  float x = seeds[i].x * size, y = seeds[i].y * size;
  float length = 0, colour = 0;

  for (int step = 0; step < steps; ++step) {
    int cell = min(static_cast<int>(y), side - 1) * side + min(static_cast<int>(x), side - 1);
    float2 velocity = velocities[cell];
    float vx = 64.0f * velocity.x - 32.0f, vy = 64.0f * velocity.y - 32.0f;
    x = wrapped(x + vx, size);
    y = wrapped(y + vy, size);
    float speed = sqrtf(vx * vx + vy * vy);
    length += speed;
    colour += table[min(static_cast<int>(speed * 5.0f), shades - 1)];
  }
  lines[i] = {x, y, length, colour / static_cast<float>(steps)};
}
