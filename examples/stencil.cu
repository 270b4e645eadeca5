// One time step of heat flow on a plate: a five-point stencil with fixed borders. The two small
// functions are inlined; with line information each instruction still knows where it came from.
struct Plate {
  const float* heat;
  int width;
  int height;
};

__device__ float at(const Plate& plate, int x, int y) {
  return plate.heat[y * plate.width + x];
}

__device__ float laplacian(const Plate& plate, int x, int y) {
  float around =
      at(plate, x - 1, y) + at(plate, x + 1, y) + at(plate, x, y - 1) + at(plate, x, y + 1);
  return around - 4.0f * at(plate, x, y);
}

extern "C" __global__ void stencil(Plate plate, float* next, float rate) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= plate.width - 1 || y >= plate.height - 1) return;
  next[y * plate.width + x] = at(plate, x, y) + rate * laplacian(plate, x, y);
}
