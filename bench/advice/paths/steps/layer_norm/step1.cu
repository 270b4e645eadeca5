// Layer normalisation: one block per row. The first warp computes mean and variance, then all threads normalise.
#include <math.h>

__device__ __forceinline__ float warp_sum(float v) {
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

extern "C" __global__ void layer_norm(const float *in, const float *gamma, const float *beta, float *out,
                                      int rows, int cols, float eps) {
    __shared__ float mean, inv_std;
    if (blockIdx.x >= rows)
        return;
    const float *x = in + blockIdx.x * cols;
    float *y = out + blockIdx.x * cols;

    if (threadIdx.x < 32) {
        float sum = 0.0f;
        for (int i = threadIdx.x; i < cols; i += 32)
            sum += x[i];
        float m = warp_sum(sum) / cols;
        float var = 0.0f;
        for (int i = threadIdx.x; i < cols; i += 32)
            var += (x[i] - m) * (x[i] - m);
        var = warp_sum(var);
        if (threadIdx.x == 0) {
            mean = m;
            inv_std = 1.0f / sqrtf(var / cols + eps);
        }
    }
    __syncthreads();

    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[i] = (x[i] - mean) * inv_std * gamma[i] + beta[i];
}
