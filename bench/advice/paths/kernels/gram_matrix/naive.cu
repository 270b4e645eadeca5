// Second-moment (Gram) matrix of a table of samples, X^T X / rows: one thread per element of the result.
extern "C" __global__ void gram_matrix(const float *x, float *gram, int rows, int cols) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= cols || j >= cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < rows; r++)
        sum += x[r * cols + i] * x[r * cols + j];
    gram[i * cols + j] = sum / rows;
}
