// Half a step of the alternating-direction implicit method: a tridiagonal system for each column,
// by one thread.
__global__ void adi(float* u, float* upper, float* right, float a, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float c = 0, d = 0;
  for (int i = 0; i < rows; ++i) {
    const float pivot = 1 / (1 + 2 * a - a * c);
    c = a * pivot;
    d = (u[i * columns + j] + a * d) * pivot;
    upper[i * columns + j] = c;
    right[i * columns + j] = d;
  }
  float next = 0;
  for (int i = rows - 1; i >= 0; --i) {
    next = right[i * columns + j] + upper[i * columns + j] * next;
    u[i * columns + j] = next;
  }
}
