// Softmax of every row: one thread per row.
#include <math.h>

extern "C" __global__ void softmax_rows(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;

    float max_value = in[row * cols];
    for (int i = 1; i < cols; i++)
        max_value = fmaxf(max_value, in[row * cols + i]);

    float sum = 0.0f;
    for (int i = 0; i < cols; i++) {
        out[row * cols + i] = expf(in[row * cols + i] - max_value);
        sum += out[row * cols + i];
    }

    for (int i = 0; i < cols; i++)
        out[row * cols + i] /= sum;
}
