// Shadows on a terrain of boxes: from each point of the ground a ray goes to the sun; the boxes of
// a scene are tested one after the other, and what the nearest hit leaves through is summed over
// several positions of the sun.

constexpr int kBoxes = 64;

struct Box {
  float3 low, high;
};

struct Ray {
  float3 from, inverse;  // inverse of the direction
};

struct Span {
  float enter, leave;
};

// Where a ray enters and leaves a slab between two planes.
__device__ __forceinline__ Span cross_slab(float low, float high, float from, float inverse) {
  float a = (low - from) * inverse, b = (high - from) * inverse;
  return {fminf(a, b), fmaxf(a, b)};
}

__device__ __forceinline__ Span overlap(Span a, Span b) {
  return {fmaxf(a.enter, b.enter), fminf(a.leave, b.leave)};
}

// The distance to a box, or infinity.
__device__ __forceinline__ float distance_to(const Box& box, const Ray& ray) {
  Span span = cross_slab(box.low.x, box.high.x, ray.from.x, ray.inverse.x);
  span = overlap(span, cross_slab(box.low.y, box.high.y, ray.from.y, ray.inverse.y));
  span = overlap(span, cross_slab(box.low.z, box.high.z, ray.from.z, ray.inverse.z));
  bool hit = span.leave > fmaxf(span.enter, 0.0f);
  return hit ? fmaxf(span.enter, 0.0f) : INFINITY;
}

__global__ void __launch_bounds__(128)
    cast_shadows(const float* __restrict__ scene, const float* __restrict__ heights,
                 float* __restrict__ light, int width, int suns, float haze) {
  __shared__ Box boxes[kBoxes];
  for (int k = threadIdx.x; k < kBoxes; k += blockDim.x) {
    const float* entry = scene + 6 * k;
    float3 low = {entry[0] * width, entry[1] * width, 0.0f};
    float3 high = {low.x + 40.0f * entry[3], low.y + 40.0f * entry[4], 60.0f * entry[5]};
    boxes[k] = {low, high};
  }
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  float sum = 0;
  for (int sun = 0; sun < suns; ++sun) {
    float east = 0.8f - 1.6f * (sun + 0.5f) / suns;
    Ray ray = {{x + 0.5f, y + 0.5f, heights[y * width + x]},
               {1.0f / east, 3.0f, rsqrtf(1.12f - east * east)}};
    float nearest = INFINITY;
    for (int k = 0; k < kBoxes; ++k) nearest = fminf(nearest, distance_to(boxes[k], ray));
    sum += nearest < 500.0f ? 0.1f * __expf(-haze * nearest) : 1.0f;
  }
  light[y * width + x] = sum / suns;
}
