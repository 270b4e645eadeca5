// Hand-written. Consecutive lanes take consecutive k, the fastest dimension, four points each. A thread walks along i
// and keeps three planes in registers; neighbours along j and k come from the L1 cache.
#include <cuda_runtime.h>

namespace {
constexpr int kPlanes = 16;

__device__ float4 load4(const float *address) { return *reinterpret_cast<const float4 *>(address); }

__global__ void __launch_bounds__(256)
    step(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz, float alpha) {
  const int k = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int first = blockIdx.z * kPlanes, end = min(first + kPlanes, nx);
  if (k >= nz || j >= ny) return;
  const size_t plane = (size_t)ny * nz;
  size_t at = first * plane + (size_t)j * nz + k;
  float4 before = first > 0 ? load4(&in[at - plane]) : float4{}, here = load4(&in[at]);
  for (int i = first; i < end; ++i, at += plane) {
    const float4 after = i + 1 < nx ? load4(&in[at + plane]) : float4{};
    float4 result = here;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
      const float4 up = load4(&in[at - nz]), down = load4(&in[at + nz]);
      const auto point = [&](float centre, float left, float right, float a, float b, float c, float d) {
        return centre + alpha * (left + right + a + b + c + d - 6.0f * centre);
      };
      if (k > 0) result.x = point(here.x, in[at - 1], here.y, up.x, down.x, before.x, after.x);
      result.y = point(here.y, here.x, here.z, up.y, down.y, before.y, after.y);
      result.z = point(here.z, here.y, here.w, up.z, down.z, before.z, after.z);
      if (k + 4 < nz) result.w = point(here.w, here.z, in[at + 4], up.w, down.w, before.w, after.w);
    }
    __stcs(reinterpret_cast<float4 *>(&out[at]), result);
    before = here;
    here = after;
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *in = *(const float **)arguments[0];
  float *out = *(float **)arguments[1];
  const int nx = *(int *)arguments[2], ny = *(int *)arguments[3], nz = *(int *)arguments[4];
  const dim3 block(32, 8), grid((nz / 4 + 31) / 32, (ny + 7) / 8, (nx + kPlanes - 1) / kPlanes);
  step<<<grid, block, 0, stream>>>(in, out, nx, ny, nz, *(float *)arguments[5]);
}
