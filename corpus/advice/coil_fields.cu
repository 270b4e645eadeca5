// How strong the magnetic field of a coil is, as for the design of a stellarator: the wire is a
// closed chain of straight segments, and the field at a point is the sum of what they contribute
// by the law of Biot and Savart. A thread has a point; the ends of the segments go through shared
// memory.

constexpr int kPart = 256;

struct Vector {
  float x, y, z;
};

__device__ __forceinline__ Vector difference(const float4& a, const float4& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

__device__ __forceinline__ float length(const Vector& a) {
  return sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
}

__global__ void __launch_bounds__(kPart)
    coil_fields(const float4* __restrict__ corners, const float4* __restrict__ points,
                float* __restrict__ strengths, int segments, int count, float current) {
  __shared__ float4 ends[kPart];
  int i = blockIdx.x * kPart + threadIdx.x;
  float4 place = points[min(i, count - 1)];
  Vector from = difference(place, corners[segments - 1]);
  float from_length = length(from);
  Vector field = {};

  for (int start = 0; start < segments; start += kPart) {
    __syncthreads();
    if (start + threadIdx.x < segments) ends[threadIdx.x] = corners[start + threadIdx.x];
    __syncthreads();
    int part = min(kPart, segments - start);
    for (int k = 0; k < part; ++k) {
      Vector to = difference(place, ends[k]);
      float to_length = length(to), both = from_length * to_length;
      float along = from.x * to.x + from.y * to.y + from.z * to.z;
      float share = (from_length + to_length) / (both * (both + along) + 0.01f);
      field.x += share * (from.y * to.z - from.z * to.y);
      field.y += share * (from.z * to.x - from.x * to.z);
      field.z += share * (from.x * to.y - from.y * to.x);
      from = to;
      from_length = to_length;
    }
  }
  if (i < count) strengths[i] = current * length(field);
}
