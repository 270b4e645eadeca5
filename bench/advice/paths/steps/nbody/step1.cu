// Gravitational acceleration of n bodies, all pairs: one thread per body, tiles of 256 bodies in shared memory.
#include <math.h>

struct Body {
    float x, y, z, mass;
};

extern "C" __global__ void nbody(const Body *bodies, float *ax, float *ay, float *az, int n, float softening) {
    __shared__ Body tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int start = 0; start < n; start += 256) {
        if (start + threadIdx.x < n)
            tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        if (i < n) {
            for (int k = 0; k < 256 && start + k < n; k++) {
                float dx = tile[k].x - bodies[i].x;
                float dy = tile[k].y - bodies[i].y;
                float dz = tile[k].z - bodies[i].z;
                float r = sqrtf(dx * dx + dy * dy + dz * dz + softening);
                float f = tile[k].mass / (r * r * r);
                sum_x += f * dx;
                sum_y += f * dy;
                sum_z += f * dz;
            }
        }
        __syncthreads();
    }
    if (i < n) {
        ax[i] = sum_x;
        ay[i] = sum_y;
        az[i] = sum_z;
    }
}
