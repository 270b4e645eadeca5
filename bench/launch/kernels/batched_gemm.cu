// Many products of small matrices, n × n: z counts the matrices.
__global__ void batched_gemm(const float* a, const float* b, float* c, int batch, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int matrix = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= n || j >= n || matrix >= batch) return;
  const int first = matrix * n * n;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[first + i * n + k] * b[first + k * n + j];
  c[first + i * n + j] = sum;
}
