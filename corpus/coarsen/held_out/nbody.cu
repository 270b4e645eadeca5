// Bodies that attract each other (kind nbody).

// All pairs straight from global memory.
__global__ void nbody_global(const float4* __restrict__ bodies, float4* __restrict__ forces, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 own = bodies[i];
  float fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < n; ++k) {
    float4 other = bodies[k];
    float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    float pull = other.w * inverse * inverse * inverse;
    fx += dx * pull;
    fy += dy * pull;
    fz += dz * pull;
  }
  forces[i] = make_float4(fx, fy, fz, 0);
}
