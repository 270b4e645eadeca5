// LU factorisation without pivoting, in blocks of 32: the diagonal block, the panels, the rest.
#include "common.cuh"

constexpr int kB = 32;

__global__ void factor_diagonal(float* a, int n, int k) {
  __shared__ float d[kB][kB + 1];
  const int t = threadIdx.x;
  for (int r = 0; r < kB; ++r) d[r][t] = a[(k + r) * n + k + t];
  __syncthreads();
  for (int i = 0; i < kB - 1; ++i) {
    if (t > i) {
      d[t][i] /= d[i][i];
      for (int j = i + 1; j < kB; ++j) d[t][j] -= d[t][i] * d[i][j];
    }
    __syncthreads();
  }
  for (int r = 0; r < kB; ++r) a[(k + r) * n + k + t] = d[r][t];
}

__global__ void factor_panels(float* a, int n, int k) {
  __shared__ float d[kB][kB + 1], p[kB][kB + 1];
  const int t = threadIdx.x % kB, at = k + kB * (blockIdx.x + 1);
  const bool row_panel = threadIdx.x < kB;
  for (int r = 0; r < kB; ++r) {
    if (row_panel) d[r][t] = a[(k + r) * n + k + t];
  }
  __syncthreads();
  if (row_panel) {
    float column[kB];
    for (int r = 0; r < kB; ++r) column[r] = a[(k + r) * n + at + t];
#pragma unroll
    for (int i = 0; i < kB; ++i)
#pragma unroll
      for (int r = i + 1; r < kB; ++r) column[r] -= d[r][i] * column[i];
    for (int r = 0; r < kB; ++r) a[(k + r) * n + at + t] = column[r];
  } else {
    for (int r = 0; r < kB; ++r) p[r][t] = a[(at + r) * n + k + t];
    __syncwarp();
    for (int i = 0; i < kB; ++i) {
      float value = p[t][i];
      for (int j = 0; j < i; ++j) value -= p[t][j] * d[j][i];
      p[t][i] = value / d[i][i];
    }
    __syncwarp();
    for (int r = 0; r < kB; ++r) a[(at + r) * n + k + t] = p[r][t];
  }
}

__global__ void update_rest(float* a, int n, int k) {
  __shared__ float left[kB][kB + 1], top[kB][kB + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = k + kB * (blockIdx.x + 1) + x, row = k + kB * (blockIdx.y + 1);
  for (int r = y; r < kB; r += 8) {
    left[r][x] = a[(row + r) * n + k + x];
    top[r][x] = a[(k + r) * n + column];
  }
  __syncthreads();
  for (int r = y; r < kB; r += 8) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kB; ++i) sum += left[r][i] * top[i][x];
    a[(row + r) * n + column] -= sum;
  }
}

int main() {
  const int n = 1024;
  std::vector<float> matrix = small_floats(n * n, 11);
  for (int i = 0; i < n; ++i) matrix[i * n + i] += n;
  float* a = upload(matrix);
  for (int k = 0; k < n; k += kB) {
    factor_diagonal<<<1, kB>>>(a, n, k);
    const int rest = (n - k) / kB - 1;
    if (rest == 0) break;
    factor_panels<<<rest, 2 * kB>>>(a, n, k);
    update_rest<<<dim3(rest, rest), dim3(kB, 8)>>>(a, n, k);
  }
  return finish();
}
