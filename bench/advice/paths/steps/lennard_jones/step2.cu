// Lennard-Jones forces on atoms in a periodic box, with a neighbour list: one warp per 4 atoms.
extern "C" __global__ void lennard_jones(const float *positions, const int *neighbours, const int *counts, float *forces,
                                         int atoms, int max_neighbours, float box, float cutoff, float sigma,
                                         float epsilon) {
    int i0 = 4 * ((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    int lane = threadIdx.x % 32;

    float fx[4] = {};
    float fy[4] = {};
    float fz[4] = {};
    bool whole = i0 + 3 < atoms;
    int count[4] = {};
    float p[12] = {};
    if (whole) {
        int4 c = *(const int4 *)(counts + i0);
        count[0] = c.x;
        count[1] = c.y;
        count[2] = c.z;
        count[3] = c.w;
#pragma unroll
        for (int q = 0; q < 3; q++) {
            float4 v = *(const float4 *)(positions + 3 * i0 + 4 * q);
            p[4 * q] = v.x;
            p[4 * q + 1] = v.y;
            p[4 * q + 2] = v.z;
            p[4 * q + 3] = v.w;
        }
    } else {
#pragma unroll
        for (int r = 0; r < 4; r++) {
            if (i0 + r < atoms) {
                count[r] = counts[i0 + r];
                p[3 * r] = positions[3 * (i0 + r)];
                p[3 * r + 1] = positions[3 * (i0 + r) + 1];
                p[3 * r + 2] = positions[3 * (i0 + r) + 2];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        for (int k = lane; k < count[r]; k += 32) {
            int j = neighbours[(i0 + r) * max_neighbours + k];
            float dx = p[3 * r] - positions[3 * j];
            float dy = p[3 * r + 1] - positions[3 * j + 1];
            float dz = p[3 * r + 2] - positions[3 * j + 2];
            dx -= box * rintf(dx / box);
            dy -= box * rintf(dy / box);
            dz -= box * rintf(dz / box);
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < cutoff * cutoff) {
                // Atoms that begin too near to each other must not explode.
                r2 = fmaxf(r2, 0.64f * sigma * sigma);
                float s2 = sigma * sigma / r2;
                float s6 = s2 * s2 * s2;
                float f = 24.0f * epsilon * (2.0f * s6 * s6 - s6) / r2;
                fx[r] += f * dx;
                fy[r] += f * dy;
                fz[r] += f * dz;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        for (int d = 16; d > 0; d /= 2) {
            fx[r] += __shfl_down_sync(0xffffffff, fx[r], d, 32);
            fy[r] += __shfl_down_sync(0xffffffff, fy[r], d, 32);
            fz[r] += __shfl_down_sync(0xffffffff, fz[r], d, 32);
        }
    }
    if (lane == 0) {
        if (whole) {
            float4 *row = (float4 *)(forces + 3 * i0);
            row[0] = make_float4(fx[0], fy[0], fz[0], fx[1]);
            row[1] = make_float4(fy[1], fz[1], fx[2], fy[2]);
            row[2] = make_float4(fz[2], fx[3], fy[3], fz[3]);
        } else {
#pragma unroll
            for (int r = 0; r < 4; r++) {
                if (i0 + r < atoms) {
                    forces[3 * (i0 + r)] = fx[r];
                    forces[3 * (i0 + r) + 1] = fy[r];
                    forces[3 * (i0 + r) + 2] = fz[r];
                }
            }
        }
    }
}
