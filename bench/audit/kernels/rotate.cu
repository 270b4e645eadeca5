// complex AoS rotation with 3-D blocks
struct C3 { float re, im, w; };
extern "C" __global__ void rotate(C3* f, int nx, int ny, int nz, float ang) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  int i = (x * ny + y) * nz + z;
  float s = sinf(ang * f[i].w), c = cosf(ang * f[i].w);
  float re = f[i].re, im = f[i].im;
  f[i].re = c * re - s * im;
  f[i].im = s * re + c * im;
}
