// A matrix, transposed element by element.
__global__ void transpose(const float* matrix, float* transposed, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) transposed[x * n + y] = matrix[y * n + x];
}
