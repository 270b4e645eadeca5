// A matrix transposed without shared memory.
__global__ void transpose_plain(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[x * height + y] = in[y * width + x];
}
