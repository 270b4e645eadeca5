// For places on a map of the Earth: how many satellites of a constellation stand higher above the
// horizon than an elevation mask, and how strong their signals are together (a satellite overhead
// counts 1). The orbits are circles of one radius and inclination; lengths are in Earth radii, angles
// of orbits in turns.

#define SATELLITES 512

struct Constellation {
  float radius;       // of the orbits
  float tilt_cosine;  // of the inclination
  float tilt_sine;
  float mask;         // least elevation in degrees
};

__device__ inline float3 orbit_position(float2 orbit, const Constellation& c) {
  float node_sine, node_cosine, sine, cosine;
  sincospif(2.0f * orbit.x, &node_sine, &node_cosine);
  sincospif(2.0f * orbit.y, &sine, &cosine);
  return make_float3(c.radius * (cosine * node_cosine - sine * node_sine * c.tilt_cosine),
                     c.radius * (cosine * node_sine + sine * node_cosine * c.tilt_cosine),
                     c.radius * sine * c.tilt_sine);
}

__device__ inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void visible_satellites(const float2* __restrict__ orbits, float* __restrict__ counts,
                                   float* __restrict__ strengths, int width, int height,
                                   Constellation c) {
  __shared__ float3 positions[SATELLITES];
  for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < SATELLITES;
       k += blockDim.x * blockDim.y) {
    positions[k] = orbit_position(orbits[k], c);
  }
  __syncthreads();

  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sine, cosine, north, level;
  sincospif(2.0f * x / width, &sine, &cosine);
  sincospif((y + 0.5f) / height - 0.5f, &north, &level);
  float3 up = make_float3(level * cosine, level * sine, north);

  float count = 0.0f, strength = 0.0f;
  for (int k = 0; k < SATELLITES; ++k) {
    float3 p = positions[k];
    float3 d = make_float3(p.x - up.x, p.y - up.y, p.z - up.z);
    float inverse = rsqrtf(dot(d, d));
    float elevation = asinf(dot(d, up) * inverse) * 57.29578f;
    if (elevation > c.mask) {
      count += 1.0f;
      strength += inverse * inverse;
    }
  }
  counts[y * width + x] = count;
  strengths[y * width + x] = strength * (c.radius - 1.0f) * (c.radius - 1.0f);
}
