// Gravitational acceleration of n bodies, all pairs: one warp per body.
#include <math.h>

struct Body {
    float x, y, z, mass;
};

extern "C" __global__ void nbody(const Body *bodies, float *ax, float *ay, float *az, int n, float softening) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    const float4 *bodies4 = (const float4 *)bodies;
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    if (row < n) {
        for (int j = lane; j < n; j += 32) {
            float4 body = bodies4[j];
            float dx = body.x - bodies[row].x;
            float dy = body.y - bodies[row].y;
            float dz = body.z - bodies[row].z;
            float r = sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float f = body.w / (r * r * r);
            sum_x += f * dx;
            sum_y += f * dy;
            sum_z += f * dz;
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        sum_x += __shfl_down_sync(0xffffffff, sum_x, d, 32);
        sum_y += __shfl_down_sync(0xffffffff, sum_y, d, 32);
        sum_z += __shfl_down_sync(0xffffffff, sum_z, d, 32);
    }
    if (row < n && lane == 0) {
        ax[row] = sum_x;
        ay[row] = sum_y;
        az[row] = sum_z;
    }
}
