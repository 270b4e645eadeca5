// y = A · x for a sparse matrix in CSR form: one warp per row.
extern "C" __global__ void sparse_matrix_vector(const int *row_start, const int *columns, const float *values,
                                                const float *x, float *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float sum = 0.0f;
    int end = row_start[row + 1];
    for (int i = row_start[row] + lane; i < end; i += 32)
        sum += values[i] * x[columns[i]];
    for (int offset = 16; offset > 0; offset >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0)
        y[row] = sum;
}
