// Softmax of every row: one block of 256 threads per row (at most 2048 columns, a multiple of 4).
#include <math.h>

extern "C" __global__ void softmax_rows(const float *in, float *out, int rows, int cols) {
    __shared__ float part[32];
    __shared__ float result;
    int row = blockIdx.x;
    int lane = threadIdx.x;
    const float4 *in4 = (const float4 *)(in + row * cols);
    float4 *out4 = (float4 *)(out + row * cols);

    // The row, once, in 8 registers per thread.
    float4 v[2];
#pragma unroll
    for (int t = 0; t < 2; t++) {
        int i = lane + 256 * t;
        if (row < rows && i < cols / 4)
            v[t] = in4[i];
        else
            v[t] = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    }

    float max_value = -INFINITY;
#pragma unroll
    for (int t = 0; t < 2; t++) {
        max_value = fmaxf(max_value, v[t].x);
        max_value = fmaxf(max_value, v[t].y);
        max_value = fmaxf(max_value, v[t].z);
        max_value = fmaxf(max_value, v[t].w);
    }
    for (int d = 16; d > 0; d /= 2)
        max_value = max(max_value, __shfl_down_sync(0xffffffff, max_value, d, 32));
    if (lane % 32 == 0)
        part[lane / 32] = max_value;
    __syncthreads();
    if (lane < 32) {
        max_value = lane < 8 ? part[lane] : -INFINITY;
        for (int d = 16; d > 0; d /= 2)
            max_value = max(max_value, __shfl_down_sync(0xffffffff, max_value, d, 32));
        if (lane == 0)
            result = max_value;
    }
    __syncthreads();
    max_value = result;

    float sum = 0.0f;
#pragma unroll
    for (int t = 0; t < 2; t++) {
        int i = lane + 256 * t;
        if (row < rows && i < cols / 4) {
            float4 e;
            e.x = expf(v[t].x - max_value);
            e.y = expf(v[t].y - max_value);
            e.z = expf(v[t].z - max_value);
            e.w = expf(v[t].w - max_value);
            out4[i] = e;
            sum += e.x;
            sum += e.y;
            sum += e.z;
            sum += e.w;
        }
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d, 32);
    if (lane % 32 == 0)
        part[lane / 32] = sum;
    __syncthreads();
    if (lane < 32) {
        sum = lane < 8 ? part[lane] : 0.0f;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d, 32);
        if (lane == 0)
            result = sum;
    }
    __syncthreads();
    sum = result;

    for (int i = lane; row < rows && i < cols / 4; i += 256) {
        float4 e = out4[i];
        e.x /= sum;
        e.y /= sum;
        e.z /= sum;
        e.w /= sum;
        out4[i] = e;
    }
}
