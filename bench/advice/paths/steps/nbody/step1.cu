// Gravitational acceleration of n bodies, all pairs: one thread per body; a block stages tiles of bodies in shared memory.
#include <math.h>

struct Body {
    float x, y, z, mass;
};

#define TILE 256   // the block size

extern "C" __global__ void nbody(const Body *bodies, float *ax, float *ay, float *az, int n, float softening) {
    __shared__ Body tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Body me = {0.0f, 0.0f, 0.0f, 0.0f};
    if (i < n)
        me = bodies[i];
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        if (start + threadIdx.x < n)
            tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        int count = min(TILE, n - start);
        for (int j = 0; j < count; j++) {
            float dx = tile[j].x - me.x;
            float dy = tile[j].y - me.y;
            float dz = tile[j].z - me.z;
            float r = sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float f = tile[j].mass / (r * r * r);
            sum_x += f * dx;
            sum_y += f * dy;
            sum_z += f * dz;
        }
        __syncthreads();
    }
    if (i >= n)
        return;
    ax[i] = sum_x;
    ay[i] = sum_y;
    az[i] = sum_z;
}
