// Iterations until a point escapes; neighbours take different numbers of iterations.
__global__ void mandelbrot(int* counts, int width, int height, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float real = -2.0f + 2.5f * x / width, imaginary = -1.25f + 2.5f * y / height;
  float a = 0, b = 0;
  int count = 0;
  while (count < limit && a * a + b * b < 4) {
    const float next = a * a - b * b + real;
    b = 2 * a * b + imaginary;
    a = next;
    ++count;
  }
  counts[y * width + x] = count;
}
