// AoS particle push with a 28-byte structure, only some fields used
struct Part { float x, y, z, vx, vy, vz, q; };
extern "C" __global__ void push(Part* p, const float* ex, float dt, int n, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = p[i].x;
  float vx = p[i].vx;
  int c = (int)(x * cells);
  if (c < 0) c = 0;
  if (c > cells - 2) c = cells - 2;
  float w = x * cells - c;
  float e = ex[c] * (1.0f - w) + ex[c + 1] * w;
  vx += dt * e * p[i].q;
  x += dt * vx;
  if (x < 0.0f) x += 1.0f;
  if (x >= 1.0f) x -= 1.0f;
  p[i].x = x;
  p[i].vx = vx;
}
