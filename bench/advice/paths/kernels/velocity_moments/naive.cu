// Moments of a plasma's distribution function: density, momentum in x and y, and energy of each cell, which are sums
// over its grid of nv × nv velocities from vmin in steps of dv. One thread per cell.
extern "C" __global__ void velocity_moments(const float *f, float *moments, int cells, int nv, float vmin, float dv) {
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells)
        return;

    const float *mine = f + (size_t)cell * nv * nv;
    float density = 0.0f, momentum_x = 0.0f, momentum_y = 0.0f, energy = 0.0f;
    for (int iy = 0; iy < nv; iy++) {
        float vy = vmin + iy * dv;
        for (int ix = 0; ix < nv; ix++) {
            float vx = vmin + ix * dv;
            float value = mine[iy * nv + ix];
            density += value;
            momentum_x += value * vx;
            momentum_y += value * vy;
            energy += 0.5f * value * (vx * vx + vy * vy);
        }
    }
    moments[cell * 4] = density * dv * dv;
    moments[cell * 4 + 1] = momentum_x * dv * dv;
    moments[cell * 4 + 2] = momentum_y * dv * dv;
    moments[cell * 4 + 3] = energy * dv * dv;
}
