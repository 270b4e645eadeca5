// procedural fractal value noise written as bytes
__device__ float hash(int x, int y) { unsigned h = x * 374761393u + y * 668265263u; h = (h ^ (h >> 13)) * 1274126177u; return (h ^ (h >> 16)) * 2.3283064e-10f; }
extern "C" __global__ void noise(unsigned char* img, int w, int h, int octaves, float scale) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float v = 0.0f, amp = 0.5f, f = scale;
  for (int o = 0; o < octaves; o++) {
    float fx = x * f, fy = y * f;
    int ix = (int)fx, iy = (int)fy;
    float tx = fx - ix, ty = fy - iy;
    tx = tx * tx * (3.0f - 2.0f * tx); ty = ty * ty * (3.0f - 2.0f * ty);
    float a = hash(ix, iy), b = hash(ix + 1, iy), c = hash(ix, iy + 1), d = hash(ix + 1, iy + 1);
    v += amp * ((a * (1 - tx) + b * tx) * (1 - ty) + (c * (1 - tx) + d * tx) * ty);
    amp *= 0.5f; f *= 2.0f;
  }
  img[y * w + x] = (unsigned char)(255.0f * fminf(v, 1.0f));
}
