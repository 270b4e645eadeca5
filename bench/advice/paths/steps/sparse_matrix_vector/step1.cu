// y = A · x for a sparse matrix in CSR form: one warp per row.
extern "C" __global__ void sparse_matrix_vector(const int *row_start, const int *columns, const float *values,
                                                const float *x, float *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    float sum = 0.0f;
    if (row < rows)
        for (int i = row_start[row] + lane; i < row_start[row + 1]; i += 32)
            sum += values[i] * x[columns[i]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d, 32);
    if (row < rows && lane == 0)
        y[row] = sum;
}
