// How dead satellites tumble: the rotation of a rigid body on which no force acts (Euler's
// equations), and the way it points, as a quaternion. For each satellite its state at the end.

__device__ __noinline__ float4 product(float4 a, float4 b) {
  return make_float4(fmaf(a.w, b.x, fmaf(a.x, b.w, fmaf(a.y, b.z, -a.z * b.y))),
                     fmaf(a.w, b.y, fmaf(a.y, b.w, fmaf(a.z, b.x, -a.x * b.z))),
                     fmaf(a.w, b.z, fmaf(a.z, b.w, fmaf(a.x, b.y, -a.y * b.x))),
                     fmaf(a.w, b.w, fmaf(-a.x, b.x, fmaf(-a.y, b.y, -a.z * b.z))));
}

__device__ __noinline__ float4 advanced(float4 value, float4 change, float step) {
  return make_float4(fmaf(step, change.x, value.x), fmaf(step, change.y, value.y),
                     fmaf(step, change.z, value.z), fmaf(step, change.w, value.w));
}

__device__ __noinline__ float4 turning(float4 spin, float3 shape) {
  return make_float4(shape.x * spin.y * spin.z, shape.y * spin.z * spin.x,
                     shape.z * spin.x * spin.y, 0.0f);
}

__global__ void tumble_satellites(const float4* __restrict__ bodies, float4* __restrict__ headings,
                                  float4* __restrict__ spins, int count, int steps, float step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float4 body = bodies[i];
  // The differences of the moments of inertia over the moments; the third follows from the others.
  float3 shape = make_float3(0.5f * body.x, -0.7f * body.y, 0.3f * body.z);

  float4 spin = make_float4(0.2f + body.w, 0.3f + body.x, 0.1f + body.y, 0.0f);
  float4 heading = make_float4(0.0f, 0.0f, 0.0f, 1.0f);
  for (int k = 0; k < steps; ++k) {
    float4 middle = advanced(spin, turning(spin, shape), 0.5f * step);
    spin = advanced(spin, turning(middle, shape), step);
    heading = advanced(heading, product(heading, middle), 0.5f * step);
    float square = fmaf(heading.x, heading.x, fmaf(heading.y, heading.y,
                        fmaf(heading.z, heading.z, heading.w * heading.w)));
    float scale = rsqrtf(square);
    heading = make_float4(heading.x * scale, heading.y * scale, heading.z * scale,
                          heading.w * scale);
  }
  headings[i] = heading;
  spins[i] = spin;
}
