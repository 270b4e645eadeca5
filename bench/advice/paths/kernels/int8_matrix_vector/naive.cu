// y = W · x for a row-major matrix of signed bytes, summed in integers: one thread per row.
extern "C" __global__ void int8_matrix_vector(const signed char *w, const signed char *x, int *y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        int sum = 0;
        for (int j = 0; j < cols; j++)
            sum += w[row * cols + j] * x[j];
        y[row] = sum;
    }
}
