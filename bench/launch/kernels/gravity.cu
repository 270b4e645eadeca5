// Acceleration of each body by all the others.
__global__ void gravity(const float4* bodies, float4* accelerations, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 own = bodies[i];
  float3 sum = make_float3(0, 0, 0);
  for (int j = 0; j < n; ++j) {
    const float4 body = bodies[j];
    const float dx = body.x - own.x, dy = body.y - own.y, dz = body.z - own.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.001f);
    const float pull = body.w * inverse * inverse * inverse;
    sum.x += pull * dx;
    sum.y += pull * dy;
    sum.z += pull * dz;
  }
  accelerations[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
