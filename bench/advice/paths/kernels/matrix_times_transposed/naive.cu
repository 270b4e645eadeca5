// C = A · Bᵀ, all row-major: one thread per element of C, a dot product of two rows.
extern "C" __global__ void matrix_times_transposed(const float *a, const float *b, float *c, int m, int n, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++)
            sum += a[row * k + i] * b[col * k + i];
        c[row * n + col] = sum;
    }
}
