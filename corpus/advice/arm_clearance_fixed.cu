// How far the links of a robot's arm stay clear of what stands in the way, for many poses: the
// spheres around the links against the boxes that the cell of the workspace lists. The lists are
// linked: each entry names the box and the next entry.

struct alignas(16) Box {
  float x, y, z;  // the middle
  float half_x, half_y, half_z;
  float slack;  // how uncertain it is
  int material;
};

__device__ __forceinline__ float distance_to(const Box& box, float4 sphere) {
  float dx = fmaxf(fabsf(sphere.x - box.x) - box.half_x, 0.0f);
  float dy = fmaxf(fabsf(sphere.y - box.y) - box.half_y, 0.0f);
  float dz = fmaxf(fabsf(sphere.z - box.z) - box.half_z, 0.0f);
  return sqrtf(dx * dx + dy * dy + dz * dz) - sphere.w - box.slack;
}

__global__ void arm_clearance(const float4* __restrict__ links, const int* __restrict__ cells,
                              const int* __restrict__ heads, const int* __restrict__ next,
                              const Box* __restrict__ boxes, float* __restrict__ clearances,
                              int* __restrict__ closest, int poses, int spheres, int longest) {
  int pose = blockIdx.x * blockDim.x + threadIdx.x;
  if (pose >= poses) return;
  int entry = heads[cells[pose]];
  float clearance = 1e9f;
  int nearest = -1;

  for (int length = 0; entry >= 0 && length < longest; ++length) {
    Box box = boxes[entry];
    int following = next[entry];
    for (int k = 0; k < spheres; ++k) {
      float4 sphere = links[static_cast<size_t>(k) * poses + pose];
      float distance = distance_to(box, sphere);
      if (distance < clearance) {
        clearance = distance;
        nearest = entry;
      }
    }
    entry = following;
  }
  clearances[pose] = clearance;
  closest[pose] = nearest;
}
