// Inclusive prefix sum of every row: one thread per row.
extern "C" __global__ void prefix_sum_rows(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = 0; i < cols; i++) {
        sum += in[row * cols + i];
        out[row * cols + i] = sum;
    }
}
