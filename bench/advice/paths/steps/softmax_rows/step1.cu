// Softmax of every row: one block of 256 threads per row of 2048, the row kept in 8 registers per thread.
#include <math.h>

template <bool MAX>
__device__ float block_reduce(float v) {
    __shared__ float partial[8];
    __shared__ float result;
    for (int offset = 16; offset > 0; offset >>= 1) {
        float other = __shfl_down_sync(0xffffffffu, v, offset);
        v = MAX ? fmaxf(v, other) : v + other;
    }
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0)
        partial[warp] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        v = partial[0];
        for (int w = 1; w < 8; w++)
            v = MAX ? fmaxf(v, partial[w]) : v + partial[w];
        result = v;
    }
    __syncthreads();
    return result;
}

extern "C" __global__ void softmax_rows(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.x;
    if (row >= rows)
        return;
    const float4 *in4 = reinterpret_cast<const float4 *>(in + (size_t)row * cols);
    float4 *out4 = reinterpret_cast<float4 *>(out + (size_t)row * cols);
    int t = threadIdx.x;

    float4 a = in4[t], b = in4[t + 256];
    float m = fmaxf(fmaxf(fmaxf(a.x, a.y), fmaxf(a.z, a.w)), fmaxf(fmaxf(b.x, b.y), fmaxf(b.z, b.w)));
    float max_value = block_reduce<true>(m);

    a.x = expf(a.x - max_value);
    a.y = expf(a.y - max_value);
    a.z = expf(a.z - max_value);
    a.w = expf(a.w - max_value);
    b.x = expf(b.x - max_value);
    b.y = expf(b.y - max_value);
    b.z = expf(b.z - max_value);
    b.w = expf(b.w - max_value);
    float sum = block_reduce<false>(((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w)));

    a.x /= sum;
    a.y /= sum;
    a.z /= sum;
    a.w /= sum;
    b.x /= sum;
    b.y /= sum;
    b.z /= sum;
    b.w /= sum;
    out4[t] = a;
    out4[t + 256] = b;
}
