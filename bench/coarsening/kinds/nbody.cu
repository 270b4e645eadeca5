// The force of all bodies on each body.
__global__ void nbody(const float4* bodies, float4* forces, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 body = bodies[i];
  float x = 0, y = 0, z = 0;
  for (int j = 0; j < n; ++j) {
    const float4 other = bodies[j];
    const float dx = other.x - body.x, dy = other.y - body.y, dz = other.z - body.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    const float strength = other.w * inverse * inverse * inverse;
    x += dx * strength;
    y += dy * strength;
    z += dz * strength;
  }
  forces[i] = make_float4(x, y, z, body.w);
}
