// y = W · x for a row-major matrix of signed bytes, summed in integers: one thread per row.
struct __align__(16) Bytes16 {
    signed char b[16];
};

extern "C" __global__ void int8_matrix_vector(const signed char *w, const signed char *x, int *y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        int sum = 0;
        int j = 0;
        if (cols % 16 == 0)
            for (; j < cols; j += 16) {
                Bytes16 v = *reinterpret_cast<const Bytes16 *>(w + row * cols + j);
                for (int k = 0; k < 16; k++)
                    sum += v.b[k] * x[j + k];
            }
        for (; j < cols; j++)
            sum += w[row * cols + j] * x[j];
        y[row] = sum;
    }
}
