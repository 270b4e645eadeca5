// y = A · x for a sparse matrix in CSR form: one thread per row. Columns and values are loaded 16 bytes at once.
extern "C" __global__ void sparse_matrix_vector(const int *row_start, const int *columns, const float *values,
                                                const float *x, float *y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    int i = row_start[row], end = row_start[row + 1];
    for (; i < end && i % 4 != 0; i++)   // up to an aligned address
        sum += values[i] * x[columns[i]];
    for (; i + 3 < end; i += 4) {
        int4 c = *reinterpret_cast<const int4 *>(columns + i);
        float4 v = *reinterpret_cast<const float4 *>(values + i);
        sum += v.x * x[c.x];
        sum += v.y * x[c.y];
        sum += v.z * x[c.z];
        sum += v.w * x[c.w];
    }
    for (; i < end; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}
