// photon random walk: stream per thread, number of photons per thread fixed; result depends on thread numbering
extern "C" __global__ void photons(float* absorbed, int perThread, float mua) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = id * 747796405u + 2891336453u;
  float total = 0.f;
  for (int p = 0; p < perThread; p++) {
    float w = 1.f, z = 0.f;
    while (w > 0.05f && z >= 0.f) {
      s = s * 1664525u + 1013904223u;
      float step = -logf(((s >> 8) + 1) * 5.9604645e-8f);
      s = s * 1664525u + 1013904223u;
      float c = 2.f * ((s >> 8) * 5.9604645e-8f) - 1.f;
      z += step * (0.8f * c + 0.2f);
      total += w * mua;
      w *= 1.f - mua;
    }
  }
  absorbed[id] = total;
}
