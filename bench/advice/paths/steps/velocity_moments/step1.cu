// Moments of a plasma's distribution function: density, momentum in x and y, and energy of each cell, which are sums
// over its grid of nv × nv velocities from vmin in steps of dv. One warp per cell.
extern "C" __global__ void velocity_moments(const float *f, float *moments, int cells, int nv, float vmin, float dv) {
    int cell = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;

    float density = 0.0f, momentum_x = 0.0f, momentum_y = 0.0f, energy = 0.0f;
    if (cell < cells) {
        const float *mine = f + (size_t)cell * nv * nv;
        int n = nv * nv;
        // Rows are aligned to float4 only if nv * nv is a multiple of 4.
        int vectors = n % 4 == 0 ? n / 4 : 0;
        for (int i = lane; i < vectors; i += 32) {
            float4 four = reinterpret_cast<const float4 *>(mine)[i];
            float values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int iy = (4 * i + e) / nv, ix = (4 * i + e) % nv;
                float vy = vmin + iy * dv;
                float vx = vmin + ix * dv;
                float value = values[e];
                density += value;
                momentum_x += value * vx;
                momentum_y += value * vy;
                energy += 0.5f * value * (vx * vx + vy * vy);
            }
        }
        for (int i = 4 * vectors + lane; i < n; i += 32) {
            float vy = vmin + (i / nv) * dv;
            float vx = vmin + (i % nv) * dv;
            float value = mine[i];
            density += value;
            momentum_x += value * vx;
            momentum_y += value * vy;
            energy += 0.5f * value * (vx * vx + vy * vy);
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        density += __shfl_down_sync(0xffffffff, density, d, 32);
        momentum_x += __shfl_down_sync(0xffffffff, momentum_x, d, 32);
        momentum_y += __shfl_down_sync(0xffffffff, momentum_y, d, 32);
        energy += __shfl_down_sync(0xffffffff, energy, d, 32);
    }
    if (lane == 0 && cell < cells) {
        moments[cell * 4] = density * dv * dv;
        moments[cell * 4 + 1] = momentum_x * dv * dv;
        moments[cell * 4 + 2] = momentum_y * dv * dv;
        moments[cell * 4 + 3] = energy * dv * dv;
    }
}
