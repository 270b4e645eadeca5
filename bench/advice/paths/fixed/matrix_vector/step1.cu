// y = A · x for a row-major matrix: one thread per row.
extern "C" __global__ void matrix_vector(const float *a, const float *x, float *y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = 0; j < cols; j++)
            sum += a[row * cols + j] * x[j];
        y[row] = sum;
    }
}
