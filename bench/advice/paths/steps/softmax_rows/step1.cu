// Softmax of every row: one block of 256 threads per row, which is kept in registers (at most 2048 columns, a multiple of 4).
#include <math.h>

#define THREADS 256
#define VECTORS 2

extern "C" __global__ void softmax_rows(const float *in, float *out, int rows, int cols) {
    __shared__ float warp_max[THREADS / 32], warp_sum[THREADS / 32];
    int row = blockIdx.x;
    if (row >= rows)
        return;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float4 *in4 = reinterpret_cast<const float4 *>(in + row * cols);
    float4 *out4 = reinterpret_cast<float4 *>(out + row * cols);

    float4 v[VECTORS];
    float max_value = -INFINITY;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        int at = threadIdx.x + i * THREADS;
        v[i] = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        if (at < cols / 4)
            v[i] = in4[at];
    }
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        max_value = fmaxf(max_value, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    for (int offset = 16; offset > 0; offset /= 2)
        max_value = fmaxf(max_value, __shfl_down_sync(0xffffffff, max_value, offset));
    if (lane == 0)
        warp_max[warp] = max_value;
    __syncthreads();
    max_value = warp_max[0];
    for (int i = 1; i < THREADS / 32; i++)
        max_value = fmaxf(max_value, warp_max[i]);

    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        v[i].x = expf(v[i].x - max_value);
        v[i].y = expf(v[i].y - max_value);
        v[i].z = expf(v[i].z - max_value);
        v[i].w = expf(v[i].w - max_value);
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        warp_sum[warp] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int i = 0; i < THREADS / 32; i++)
        sum += warp_sum[i];

#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        int at = threadIdx.x + i * THREADS;
        v[i].x /= sum;
        v[i].y /= sum;
        v[i].z /= sum;
        v[i].w /= sum;
        if (at < cols / 4)
            out4[at] = v[i];
    }
}
