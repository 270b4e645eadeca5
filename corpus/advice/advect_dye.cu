// Dye in a moving fluid, a step of semi-Lagrangian advection: each pixel looks back along the flow,
// by the midpoint rule, and takes the colour found there, interpolated between four pixels.

struct Flow {
  int width, height;
  float step;  // pixels that a speed of one moves the dye
  float fade;
};

template <typename T>
__device__ __forceinline__ const T& at(const T* __restrict__ field, int x, int y,
                                       const Flow& flow) {
  x = min(max(x, 0), flow.width - 1);
  y = min(max(y, 0), flow.height - 1);
  return field[y * flow.width + x];
}

__device__ __forceinline__ float mixed(float a, float b, float t) {
  return a + t * (b - a);
}

__device__ __forceinline__ float2 sample(const float2* __restrict__ speeds, float x, float y,
                                         const Flow& flow) {
  float left = floorf(x), top = floorf(y), tx = x - left, ty = y - top;
  int i = static_cast<int>(left), j = static_cast<int>(top);
  float2 a = at(speeds, i, j, flow), b = at(speeds, i + 1, j, flow);
  float2 c = at(speeds, i, j + 1, flow), d = at(speeds, i + 1, j + 1, flow);
  return {mixed(mixed(a.x, b.x, tx), mixed(c.x, d.x, tx), ty),
          mixed(mixed(a.y, b.y, tx), mixed(c.y, d.y, tx), ty)};
}

__global__ void advect_dye(const float2* __restrict__ speeds, const float4* __restrict__ dye,
                           float4* __restrict__ moved, Flow flow) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= flow.width || y >= flow.height) return;
  float2 speed = speeds[y * flow.width + x];
  float half_x = x - flow.step * (speed.x - 0.5f), half_y = y - flow.step * (speed.y - 0.5f);
  speed = sample(speeds, half_x, half_y, flow);
  float from_x = x - 2.0f * flow.step * (speed.x - 0.5f);
  float from_y = y - 2.0f * flow.step * (speed.y - 0.5f);
  float left = floorf(from_x), top = floorf(from_y), tx = from_x - left, ty = from_y - top;
  int i = static_cast<int>(left), j = static_cast<int>(top);
  float4 a = at(dye, i, j, flow), b = at(dye, i + 1, j, flow);
  float4 c = at(dye, i, j + 1, flow), d = at(dye, i + 1, j + 1, flow);
  float4 colour;
  colour.x = flow.fade * mixed(mixed(a.x, b.x, tx), mixed(c.x, d.x, tx), ty);
  colour.y = flow.fade * mixed(mixed(a.y, b.y, tx), mixed(c.y, d.y, tx), ty);
  colour.z = flow.fade * mixed(mixed(a.z, b.z, tx), mixed(c.z, d.z, tx), ty);
  colour.w = flow.fade * mixed(mixed(a.w, b.w, tx), mixed(c.w, d.w, tx), ty);
  moved[y * flow.width + x] = colour;
}
