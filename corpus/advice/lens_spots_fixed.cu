// Rays of several colours through a photographic lens, a double Gauss: each thread sends one ray
// into the lens at a given place of its front, in every colour in turn, and notes where the colours
// meet the film on the average and how far they spread.

constexpr int kSurfaces = 11;

struct Surface {
  float curvature;          // 1/mm
  float thickness;          // to the next surface, mm
  float radius;             // of the rim, mm
  float index, dispersion;  // of what is behind it: n = index + dispersion / λ², λ in µm
};

__constant__ Surface surfaces[kSurfaces] = {
    {0.03195f, 4.2f, 17.0f, 1.7005f, 0.0065f},  {0.01087f, 0.2f, 16.5f, 1.0f, 0.0f},
    {0.05102f, 5.6f, 14.5f, 1.7005f, 0.0065f},  {0.01613f, 1.8f, 13.5f, 1.5850f, 0.0110f},
    {0.07752f, 7.0f, 10.5f, 1.0f, 0.0f},        {0.0f, 7.0f, 10.0f, 1.0f, 0.0f},
    {-0.06579f, 1.6f, 10.5f, 1.5950f, 0.0115f}, {0.01852f, 5.8f, 13.0f, 1.7005f, 0.0065f},
    {-0.04651f, 0.3f, 13.5f, 1.0f, 0.0f},       {0.00893f, 4.0f, 15.0f, 1.7005f, 0.0065f},
    {-0.02439f, 31.0f, 15.5f, 1.0f, 0.0f}};

__device__ __forceinline__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ __forceinline__ float root(float square) { return square * rsqrtf(square); }

// How far it is along the ray to a sphere through the origin; negative if the ray misses it.
__device__ __forceinline__ float distance_to(float curvature, float3 place, float3 direction) {
  float f = curvature * dot(place, place) - 2.0f * place.z;
  float g = direction.z - curvature * dot(place, direction);
  float square = g * g - curvature * f;
  return square > 0.0f ? __fdividef(f, g + root(square)) : -1.0e6f;
}

__device__ __forceinline__ float3 moved(float3 place, float3 direction, float distance) {
  return {place.x + distance * direction.x, place.y + distance * direction.y,
          place.z + distance * direction.z};
}

__device__ __forceinline__ float3 normal_at(float curvature, float3 place) {
  return {-curvature * place.x, -curvature * place.y, 1.0f - curvature * place.z};
}

__device__ __forceinline__ float index_behind(const Surface& surface, float inverse_square) {
  return surface.index + surface.dispersion * inverse_square;
}

// The ray's direction behind the surface, by Snell's law; zero if it is totally reflected.
__device__ __forceinline__ float3 refracted(float3 direction, float3 normal, float ratio) {
  float cosine = dot(direction, normal);
  float square = 1.0f - ratio * ratio * (1.0f - cosine * cosine);
  if (square <= 0.0f) return {0.0f, 0.0f, 0.0f};
  float along = root(square) - ratio * cosine;
  return {ratio * direction.x + along * normal.x, ratio * direction.y + along * normal.y,
          ratio * direction.z + along * normal.z};
}

__global__ void __launch_bounds__(256)
    lens_spots(const float2* __restrict__ entries, float4* __restrict__ spots, int rays,
               int colours, float slope, float opening) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= rays) return;
  float2 entry = entries[thread];
  float3 start = {(2.0f * entry.x - 1.0f) * opening, (2.0f * entry.y - 1.0f) * opening, 0.0f};
  float tilt = rsqrtf(1.0f + slope * slope);
  float sum_x = 0, sum_y = 0, squares = 0, count = 0;
  for (int colour = 0; colour < colours; ++colour) {
    float wavelength = 0.42f + 0.26f * __fdividef(colour + 0.5f, colours);  // µm
    float inverse_square = __fdividef(1.0f, wavelength * wavelength);
    float3 place = start, direction = {0.0f, slope * tilt, tilt};
    float index = 1.0f;
    bool lost = false;
    for (int k = 0; k < kSurfaces; ++k) {
      float curvature = surfaces[k].curvature, rim = surfaces[k].radius;
      place = moved(place, direction, distance_to(curvature, place, direction));
      lost = lost || !(place.x * place.x + place.y * place.y < rim * rim);
      float behind = index_behind(surfaces[k], inverse_square);
      direction = refracted(direction, normal_at(curvature, place), __fdividef(index, behind));
      index = behind;
      place.z -= surfaces[k].thickness;
    }
    if (lost || direction.z <= 0.0f) continue;
    float distance = __fdividef(-place.z, direction.z);
    float x = place.x + distance * direction.x, y = place.y + distance * direction.y;
    sum_x += x;
    sum_y += y;
    squares += x * x + y * y;
    count += 1.0f;
  }
  float scale = __fdividef(1.0f, fmaxf(count, 1.0f));
  spots[thread] = {sum_x * scale, sum_y * scale, squares * scale, count};
}
