// y = A · x for a sparse matrix in CSR form: one thread per row.
extern "C" __global__ void sparse_matrix_vector(const int *row_start, const int *columns, const float *values,
                                                const float *x, float *y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    #pragma unroll 8
    for (int i = row_start[row]; i < row_start[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}
