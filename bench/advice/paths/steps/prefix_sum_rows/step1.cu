// Inclusive prefix sum of every row (cols a multiple of 128): one warp per row.
#include <cub/warp/warp_scan.cuh>

extern "C" __global__ void prefix_sum_rows(const float *in, float *out, int rows, int cols) {
    using WarpScan = cub::WarpScan<float>;
    __shared__ typename WarpScan::TempStorage storage[8];
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float4 *in4 = reinterpret_cast<const float4 *>(in + (size_t)row * cols);
    float4 *out4 = reinterpret_cast<float4 *>(out + (size_t)row * cols);
    float carry = 0.0f;
    for (int i = lane; i < cols / 4; i += 32) {
        float4 v = in4[i];
        v.y += v.x;
        v.z += v.y;
        v.w += v.z;
        float before, total;
        WarpScan(storage[threadIdx.x / 32]).ExclusiveSum(v.w, before, total);
        before += carry;
        carry += total;
        out4[i] = make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
    }
}
