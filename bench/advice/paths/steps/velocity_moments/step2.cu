// Moments of a plasma's distribution function: density, momentum in x and y, and energy of each cell, which are sums
// over its grid of nv × nv velocities from vmin in steps of dv. One warp per cell.
extern "C" __global__ void velocity_moments(const float *f, float *moments, int cells, int nv, float vmin, float dv) {
    int cell = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;

    float density = 0.0f, momentum_x = 0.0f, momentum_y = 0.0f, energy = 0.0f;
    if (cell < cells) {
        const float *mine = f + (size_t)cell * nv * nv;
        // Float4s: only if each row of nv velocities has a whole number of them, and the lanes divide into rows evenly.
        int q = nv / 4;  // float4s of a row of nv velocities
        if (nv % 4 == 0 && 32 % q == 0) {
            for (int iy = lane / q; iy < nv; iy += 32 / q) {
                float vy = vmin + iy * dv;
                for (int ix = lane % q * 4; ix < nv; ix += 4 * q) {
                    float4 four = *reinterpret_cast<const float4 *>(mine + iy * nv + ix);
                    float values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
                    for (int e = 0; e < 4; e++) {
                        float vx = vmin + (ix + e) * dv;
                        float value = values[e];
                        density += value;
                        momentum_x += value * vx;
                        momentum_y += value * vy;
                        energy += 0.5f * value * (vx * vx + vy * vy);
                    }
                }
            }
        } else {
            for (int iy = 0; iy < nv; iy++) {
                float vy = vmin + iy * dv;
                for (int ix = lane; ix < nv; ix += 32) {
                    float vx = vmin + ix * dv;
                    float value = mine[iy * nv + ix];
                    density += value;
                    momentum_x += value * vx;
                    momentum_y += value * vy;
                    energy += 0.5f * value * (vx * vx + vy * vy);
                }
            }
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
