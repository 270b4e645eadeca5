// Matrix products (kind sgemm).
#include <cuda_fp16.h>

// One element of C = A·B per thread.
__global__ void sgemm_direct(const float* __restrict__ a, const float* __restrict__ b,
                             float* __restrict__ c, int rows, int columns, int depth, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  float sum = 0;
  for (int k = 0; k < depth; ++k) sum += a[y * pitch + k] * b[k * pitch + x % pitch];
  c[y * columns + x] = sum;
}

// C = alpha·A·Bᵀ + beta·C, all stored by columns, in place.
__global__ void sgemm_scaled(const float* __restrict__ a, const float* __restrict__ b,
                             float* __restrict__ c, int n, float alpha, float beta) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
#pragma unroll 2
  for (int k = 0; k < n; ++k) sum += a[row + k * n] * b[column + k * n];
  c[row + column * n] = alpha * sum + beta * c[row + column * n];
}

// Double precision with both tiles in dynamic shared memory.
__global__ void dgemm_dynamic(const double* __restrict__ a, const double* __restrict__ b,
                              double* __restrict__ c, int rows, int columns, int depth) {
  extern __shared__ double tiles[];
  int side = blockDim.x;
  double *left = tiles, *right = tiles + side * side;
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * side + tx, y = blockIdx.y * side + ty;
  double sum = 0;
  for (int first = 0; first < depth; first += side) {
    left[ty * side + tx] = y < rows && first + tx < depth ? a[y * depth + first + tx] : 0.0;
    right[ty * side + tx] = first + ty < depth && x < columns ? b[(first + ty) * columns + x] : 0.0;
    __syncthreads();
    for (int k = 0; k < side; ++k) sum += left[ty * side + k] * right[k * side + tx];
    __syncthreads();
  }
  if (y < rows && x < columns) c[y * columns + x] = sum;
}

// Halves, with the sum in float.
__global__ void hgemm_direct(const __half* __restrict__ a, const __half* __restrict__ b,
                             __half* __restrict__ c, int rows, int columns, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows) {
    float sum = 0;
    for (int k = 0; k < depth; ++k) {
      sum += __half2float(a[y * depth + k]) * __half2float(b[k * columns + x]);
    }
    c[y * columns + x] = __float2half_rn(sum);
  }
}

// One-dimensional blocks, 64-bit indices and sums.
__global__ void igemm_flat(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ c,
                           int n) {
  long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(n) * n) return;
  long long y = i / n, x = i % n, sum = 0;
  for (long long k = 0; k < n; ++k) sum += static_cast<long long>(a[y * n + k]) * b[k * n + x];
  c[i] = static_cast<int>(sum ^ (sum >> 32));
}
