// CSR sparse matrix times vector, a thread per row
extern "C" __global__ void spmv(const int* ptr, const int* col, const float* val, const float* x, float* y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0.0f;
  for (int k = ptr[r]; k < ptr[r + 1]; k++) s += val[k] * x[col[k]];
  y[r] = s;
}
