// Gravitational acceleration of n bodies, all pairs: one warp per body, whose lanes share the sum;
// a block stages tiles of bodies in shared memory.
#include <math.h>

struct Body {
    float x, y, z, mass;
};

#define TILE 256   // the block size

extern "C" __global__ void nbody(const Body *bodies, float *ax, float *ay, float *az, int n, float softening) {
    __shared__ float4 tile[TILE];
    const float4 *bodies4 = reinterpret_cast<const float4 *>(bodies);
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    float4 me = {0.0f, 0.0f, 0.0f, 0.0f};
    if (i < n)
        me = bodies4[i];
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        if (start + threadIdx.x < n)
            tile[threadIdx.x] = bodies4[start + threadIdx.x];
        __syncthreads();
        int count = min(TILE, n - start);
        for (int j = lane; j < count; j += 32) {
            float4 body = tile[j];
            float dx = body.x - me.x;
            float dy = body.y - me.y;
            float dz = body.z - me.z;
            float r = sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float f = body.w / (r * r * r);
            sum_x += f * dx;
            sum_y += f * dy;
            sum_z += f * dz;
        }
        __syncthreads();
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_x += __shfl_down_sync(0xffffffff, sum_x, offset);
        sum_y += __shfl_down_sync(0xffffffff, sum_y, offset);
        sum_z += __shfl_down_sync(0xffffffff, sum_z, offset);
    }
    if (i >= n || lane != 0)
        return;
    ax[i] = sum_x;
    ay[i] = sum_y;
    az[i] = sum_z;
}
