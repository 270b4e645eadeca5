// Hand-written: float4 per thread, the bias corrections are computed once on the host and passed as factors.
#include <cuda_runtime.h>

#include <cmath>

namespace {
__global__ void __launch_bounds__(256)
    update(float4 *__restrict__ params, const float4 *__restrict__ grads, float4 *__restrict__ m,
           float4 *__restrict__ v, int quads, float step_size, float beta1, float beta2, float v_factor, float eps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const float4 g = __ldcs(&grads[i]);
  float4 a = __ldcs(&m[i]), b = __ldcs(&v[i]), p = __ldcs(&params[i]);
  const auto one = [&](float g, float &a, float &b, float &p) {
    a = beta1 * a + (1.0f - beta1) * g;
    b = beta2 * b + (1.0f - beta2) * g * g;
    p -= __fdividef(step_size * a, sqrtf(b * v_factor) + eps);
  };
  one(g.x, a.x, b.x, p.x);
  one(g.y, a.y, b.y, p.y);
  one(g.z, a.z, b.z, p.z);
  one(g.w, a.w, b.w, p.w);
  __stcs(&m[i], a);
  __stcs(&v[i], b);
  __stcs(&params[i], p);
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  float4 *params = *(float4 **)arguments[0], *m = *(float4 **)arguments[2], *v = *(float4 **)arguments[3];
  const float4 *grads = *(const float4 **)arguments[1];
  const int n = *(int *)arguments[4], step = *(int *)arguments[9];
  const float lr = *(float *)arguments[5], beta1 = *(float *)arguments[6], beta2 = *(float *)arguments[7],
              eps = *(float *)arguments[8];
  const float step_size = (float)(lr / (1 - std::pow((double)beta1, step)));
  const float v_factor = (float)(1 / (1 - std::pow((double)beta2, step)));
  const int quads = n / 4;
  update<<<(quads + 255) / 256, 256, 0, stream>>>(params, grads, m, v, quads, step_size, beta1, beta2, v_factor, eps);
}
