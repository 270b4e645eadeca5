// Hand-written. The layout is the caller's, so a particle is read and written as two float4s; mass and radius come
// along for free, because they share the 32-byte sector.
#include <cuda_runtime.h>

namespace {
__device__ void move(float &position, float &velocity, float dt) {
  position += velocity * dt;
  if (position < 0.0f || position > 1.0f) velocity = -velocity;
}

__global__ void __launch_bounds__(256) update(float4 *__restrict__ particles, int n, float dt, float gravity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = __ldcs(&particles[2 * i]), b = __ldcs(&particles[2 * i + 1]);  // x y z vx, vy vz mass radius
  b.y -= gravity * dt;
  move(a.x, a.w, dt);
  move(a.y, b.x, dt);
  move(a.z, b.y, dt);
  __stcs(&particles[2 * i], a);
  __stcs(&particles[2 * i + 1], b);
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  float4 *particles = *(float4 **)arguments[0];
  const int n = *(int *)arguments[1];
  update<<<(n + 255) / 256, 256, 0, stream>>>(particles, n, *(float *)arguments[2], *(float *)arguments[3]);
}
