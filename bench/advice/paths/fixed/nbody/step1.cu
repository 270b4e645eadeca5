// Gravitational acceleration of n bodies, all pairs: one thread per body.
#include <math.h>

struct Body {
    float x, y, z, mass;
};

extern "C" __global__ void nbody(const Body *bodies, float *ax, float *ay, float *az, int n, float softening) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int j = 0; j < n; j++) {
        float dx = bodies[j].x - bodies[i].x;
        float dy = bodies[j].y - bodies[i].y;
        float dz = bodies[j].z - bodies[i].z;
        float r = sqrtf(dx * dx + dy * dy + dz * dz + softening);
        float f = bodies[j].mass / (r * r * r);
        sum_x += f * dx;
        sum_y += f * dy;
        sum_z += f * dz;
    }
    ax[i] = sum_x;
    ay[i] = sum_y;
    az[i] = sum_z;
}
