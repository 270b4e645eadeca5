// Layer normalisation: one block per row. The first thread computes mean and variance, then all threads normalise.
#include <math.h>

extern "C" __global__ void layer_norm(const float *in, const float *gamma, const float *beta, float *out,
                                      int rows, int cols, float eps) {
    __shared__ float mean, inv_std;
    if (blockIdx.x >= rows)
        return;
    const float *x = in + blockIdx.x * cols;
    float *y = out + blockIdx.x * cols;

    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < cols; i++)
            sum += x[i];
        mean = sum / cols;
        float var = 0.0f;
        for (int i = 0; i < cols; i++)
            var += (x[i] - mean) * (x[i] - mean);
        inv_std = 1.0f / sqrtf(var / cols + eps);
    }
    __syncthreads();

    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[i] = (x[i] - mean) * inv_std * gamma[i] + beta[i];
}
