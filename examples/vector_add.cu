// Adds two vectors. Each thread strides over the whole grid, so any launch shape is correct.
// Memory-bound: per element, 12 bytes move for one addition.
extern "C" __global__ void vector_add(const float* a, const float* b, float* sum, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    sum[i] = a[i] + b[i];
  }
}
