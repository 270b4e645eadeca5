// C = alpha·A·Bᵀ + beta·C, columns first, one element per work-item.
__kernel void sgemm_nt(__global const float* a, int lda, __global const float* b, int ldb,
                       __global float* c, int ldc, int k, float alpha, float beta) {
  float sum = 0.0f;
  int m = get_global_id(0);
  int n = get_global_id(1);
  for (int i = 0; i < k; ++i) {
    float x = a[m + i * lda];
    float y = b[n + i * ldb];
    sum += x * y;
  }
  c[m + n * ldc] = c[m + n * ldc] * beta + alpha * sum;
}
