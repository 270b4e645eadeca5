// Sum of every column of a row-major matrix: one thread per column.
extern "C" __global__ void column_sums(const float *matrix, float *sums, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols)
        return;
    float sum = 0.0f;
    for (int row = 0; row < rows; row++)
        sum += matrix[row * cols + col];
    sums[col] = sum;
}
