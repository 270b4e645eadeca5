// Paths of Lorenz's equations from many starts, by the method of Runge and Kutta: where they end,
// and how high they were on the whole.

__device__ __forceinline__ float3 slope(float3 p, float sigma, float rho, float beta) {
  float3 s;
  s.x = sigma * (p.y - p.x);
  s.y = p.x * (rho - p.z) - p.y;
  s.z = p.x * p.y - beta * p.z;
  return s;
}

__device__ __forceinline__ float3 moved(float3 p, float3 by, float dt) {
  return make_float3(p.x + dt * by.x, p.y + dt * by.y, p.z + dt * by.z);
}

__global__ void lorenz_paths(const float* __restrict__ starts, float* __restrict__ ends,
                             float* __restrict__ heights, int count, int steps, float dt,
                             float sigma, float rho, float beta) {
  int path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= count) return;
  float3 p;
  p.x = 2.0f + starts[path];
  p.y = 3.0f + starts[count + path];
  p.z = 15.0f + starts[2 * count + path];
  float height = 0;

  for (int step = 0; step < steps; ++step) {
    float3 a = slope(p, sigma, rho, beta);
    float3 b = slope(moved(p, a, 0.5f * dt), sigma, rho, beta);
    float3 c = slope(moved(p, b, 0.5f * dt), sigma, rho, beta);
    float3 d = slope(moved(p, c, dt), sigma, rho, beta);
    p.x += dt / 6.0 * (a.x + 2.0f * (b.x + c.x) + d.x);
    p.y += dt / 6.0 * (a.y + 2.0f * (b.y + c.y) + d.y);
    p.z += dt / 6.0 * (a.z + 2.0f * (b.z + c.z) + d.z);
    height += p.z;
  }

  ends[path] = p.x;
  ends[count + path] = p.y;
  ends[2 * count + path] = p.z;
  heights[path] = height / static_cast<float>(steps);
}
