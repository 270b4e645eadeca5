// All pairs of bodies attract one another; positions go through dynamic tiles of the block's size.

__global__ void attract_bodies(const float4* __restrict__ bodies, float4* __restrict__ pulls,
                               int n) {
  __shared__ float4 tile[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = make_float4(0, 0, 0, 0);
  if (i < n) me = bodies[i];
  float px = 0, py = 0, pz = 0;
  float potential = 0;

  for (int base = 0; base < n; base += blockDim.x) {
    int j = base + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();

#pragma unroll 8
    for (int k = 0; k < blockDim.x; ++k) {
      float4 other = tile[k];
      float dx = other.x - me.x;
      float dy = other.y - me.y;
      float dz = other.z - me.z;
      float squared = dx * dx + dy * dy + dz * dz + 0.01f;
      float inverse = rsqrtf(squared);
      float strength = other.w * inverse * inverse * inverse;
      px += fabsf(dx) * strength;
      py += fabsf(dy) * strength;
      pz += fabsf(dz) * strength;
      potential += other.w * inverse;
    }
    __syncthreads();
  }
  if (i < n) pulls[i] = make_float4(px, py, pz, potential);
}
