// Pendulums of different starting angles, each integrated over so many steps by one thread.
__global__ void pendulum(const float* angles, float* out, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float angle = angles[i], speed = 0;
  for (int step = 0; step < steps; ++step) {
    speed -= 0.001f * __sinf(angle);
    angle += 0.001f * speed;
  }
  out[i] = angle;
}
