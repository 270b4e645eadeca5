// Gravitational acceleration of n bodies, all pairs: one warp per body, its lanes share the other bodies.
#include <math.h>

struct Body {
    float x, y, z, mass;
};

extern "C" __global__ void nbody(const Body *bodies, float *ax, float *ay, float *az, int n, float softening) {
    __shared__ float4 tile[256];
    const float4 *all = reinterpret_cast<const float4 *>(bodies);
    int i = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    float4 self = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i < n)
        self = all[i];
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int base = 0; base < n; base += 256) {
        if (base + threadIdx.x < n)
            tile[threadIdx.x] = all[base + threadIdx.x];
        __syncthreads();
        int count = min(256, n - base);
        for (int j = lane; j < count; j += 32) {
            float4 other = tile[j];
            float dx = other.x - self.x;
            float dy = other.y - self.y;
            float dz = other.z - self.z;
            float r = sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float f = other.w / (r * r * r);
            sum_x += f * dx;
            sum_y += f * dy;
            sum_z += f * dz;
        }
        __syncthreads();
    }
    for (int offset = 16; offset > 0; offset >>= 1) {
        sum_x += __shfl_down_sync(0xffffffffu, sum_x, offset);
        sum_y += __shfl_down_sync(0xffffffffu, sum_y, offset);
        sum_z += __shfl_down_sync(0xffffffffu, sum_z, offset);
    }
    if (lane == 0 && i < n) {
        ax[i] = sum_x;
        ay[i] = sum_y;
        az[i] = sum_z;
    }
}
