// The points and normals that a depth camera saw, for fitting frames to each other: a pixel's
// depth, in millimetres, is lifted along its ray; the normal comes from the points to the right and
// below. Where nothing was measured, or that is too far away, the pixel stays empty.
#include <cstdint>

struct Lens {
  float inverse_focal, centre_x, centre_y;
  float unit, far;  // metres
};

__device__ __forceinline__ float3 lifted(const Lens& lens, int x, int y, float depth) {
  return {(x - lens.centre_x) * lens.inverse_focal * depth,
          (y - lens.centre_y) * lens.inverse_focal * depth, depth};
}

__device__ __forceinline__ float3 cross(float3 a, float3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__device__ __forceinline__ float3 minus(float3 a, float3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

__global__ void lift_depths(const uint16_t* __restrict__ depths, const uint8_t* __restrict__ masks,
                            float4* __restrict__ points, float* __restrict__ slants, int width,
                            int height, Lens lens) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width - 1 || y >= height - 1) return;
  size_t place = static_cast<size_t>(y) * width + x;
  if (masks[place] < 16) return;
  float here = depths[place] * lens.unit;
  if (here <= 0.0f || here > lens.far) return;
  float right = depths[place + 1] * lens.unit, below = depths[place + width] * lens.unit;

  float3 point = lifted(lens, x, y, here);
  float3 along = minus(lifted(lens, x + 1, y, right), point);
  float3 down = minus(lifted(lens, x, y + 1, below), point);
  float3 normal = cross(along, down);
  float length = rsqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z + 1e-12f);
  points[place] = {point.x, point.y, point.z, normal.x * length};
  slants[place] = normal.z * length;
}
