// Lennard-Jones forces on atoms in a periodic box, with a neighbour list: one warp per atom.
extern "C" __global__ void lennard_jones(const float *positions, const int *neighbours, const int *counts, float *forces,
                                         int atoms, int max_neighbours, float box, float cutoff, float sigma,
                                         float epsilon) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;

    float fx = 0.0f;
    float fy = 0.0f;
    float fz = 0.0f;
    if (i < atoms) {
        for (int k = lane; k < counts[i]; k += 32) {
            int j = neighbours[i * max_neighbours + k];
            float dx = positions[3 * i] - positions[3 * j];
            float dy = positions[3 * i + 1] - positions[3 * j + 1];
            float dz = positions[3 * i + 2] - positions[3 * j + 2];
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
                fx += f * dx;
                fy += f * dy;
                fz += f * dz;
            }
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        fx += __shfl_down_sync(0xffffffff, fx, d, 32);
        fy += __shfl_down_sync(0xffffffff, fy, d, 32);
        fz += __shfl_down_sync(0xffffffff, fz, d, 32);
    }
    if (i < atoms && lane == 0) {
        forces[3 * i] = fx;
        forces[3 * i + 1] = fy;
        forces[3 * i + 2] = fz;
    }
}
