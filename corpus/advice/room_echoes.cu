// The echoes of a hall, by rays: each thread sends a ray from the stage, which the walls reflect
// and damp; whenever it meets one of the walls where the audience sits, its energy is added to what
// has been heard there after that time. The hall is what lies inside all of its walls' planes.

constexpr int kWalls = 16;
constexpr int kBins = 128;  // of the echogram
constexpr float kFar = 1e6f;

struct Hall {
  float bins_per_metre;
  float kept;    // of the energy, by a wall
  int audience;  // the first walls
};

__device__ __forceinline__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// A wall's normal, stored as three numbers from 0 to 1, and its distance from the stage.
__device__ __forceinline__ float4 unpacked(float4 wall) {
  float x = 2.0f * wall.x - 1.0f, y = 2.0f * wall.y - 1.0f, z = 2.0f * wall.z - 1.0f;
  float scale = rsqrtf(x * x + y * y + z * z + 1e-6f);
  return {x * scale, y * scale, z * scale, 6.0f + 12.0f * wall.w};
}

__device__ __forceinline__ float3 direction_of(float2 sample) {
  float z = 1.0f - 2.0f * sample.x, side = sqrtf(fmaxf(1.0f - z * z, 0.0f));
  float sine, cosine;
  __sincosf(6.2831853f * sample.y, &sine, &cosine);
  return {side * cosine, side * sine, z};
}

__global__ void __launch_bounds__(256)
    room_echoes(const float4* __restrict__ packed, const float2* __restrict__ samples,
                unsigned* __restrict__ echogram, int rays, int bounces, Hall hall) {
  __shared__ float4 walls[kWalls];
  if (threadIdx.x < kWalls) walls[threadIdx.x] = unpacked(packed[threadIdx.x]);
  __syncthreads();
  int ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (ray < rays) {
    float3 direction = direction_of(samples[ray]), place = {0.0f, 0.0f, 0.0f};
    float energy = 4096.0f, way = 0;
    for (int bounce = 0; bounce < bounces; ++bounce) {
      float nearest = kFar;
      int met = 0;
      for (int k = 0; k < kWalls; ++k) {
        float4 wall = walls[k];
        float3 normal = {wall.x, wall.y, wall.z};
        float towards = dot(normal, direction);
        float distance = __fdividef(fmaxf(wall.w - dot(normal, place), 0.0f), towards);
        if (towards > 1e-4f && distance < nearest) {
          nearest = distance;
          met = k;
        }
      }
      way += nearest;
      int bin = static_cast<int>(way * hall.bins_per_metre);
      if (bin >= kBins) break;  // late, or out through a gap
      if (met < hall.audience) atomicAdd(&echogram[bin], static_cast<unsigned>(energy));
      energy *= hall.kept;
      float3 normal = {walls[met].x, walls[met].y, walls[met].z};
      place = {place.x + nearest * direction.x, place.y + nearest * direction.y,
               place.z + nearest * direction.z};
      float turn = 2.0f * dot(normal, direction);
      direction = {direction.x - turn * normal.x, direction.y - turn * normal.y,
                   direction.z - turn * normal.z};
    }
  }
}
