// Layer normalisation: one block per row. All threads add up the mean, the first thread computes the variance, then
// all threads normalise.
#include <math.h>

extern "C" __global__ void layer_norm(const float *in, const float *gamma, const float *beta, float *out,
                                      int rows, int cols, float eps) {
    __shared__ float mean, inv_std;
    __shared__ float part[32];
    if (blockIdx.x >= rows)
        return;
    const float *x = in + blockIdx.x * cols;
    float *y = out + blockIdx.x * cols;

    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += x[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();

    if (threadIdx.x == 0) {
        sum = 0.0f;
        for (int w = 0; w < blockDim.x / 32; w++)
            sum += part[w];
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
