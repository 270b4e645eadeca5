// Gravitational acceleration of n bodies, all pairs: one thread per body; tiles of bodies staged in shared memory.
#include <math.h>

struct Body {
    float x, y, z, mass;
};

extern "C" __global__ void nbody(const Body *bodies, float *ax, float *ay, float *az, int n, float softening) {
    __shared__ Body tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Body self = {0.0f, 0.0f, 0.0f, 0.0f};
    if (i < n)
        self = bodies[i];
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int base = 0; base < n; base += 256) {
        if (base + threadIdx.x < n)
            tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
        int count = min(256, n - base);
        for (int j = 0; j < count; j++) {
            float dx = tile[j].x - self.x;
            float dy = tile[j].y - self.y;
            float dz = tile[j].z - self.z;
            float r = sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float f = tile[j].mass / (r * r * r);
            sum_x += f * dx;
            sum_y += f * dy;
            sum_z += f * dz;
        }
        __syncthreads();
    }
    if (i < n) {
        ax[i] = sum_x;
        ay[i] = sum_y;
        az[i] = sum_z;
    }
}
