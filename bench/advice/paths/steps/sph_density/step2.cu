// Density of a fluid of particles (SPH): for every particle the sum of (h² - r²)³ over the particles within h. The
// particles are sorted into cubic cells; x, y, z are positions inside the cell, whose edge is 1 (h is at most 1).
// One thread per particle.
extern "C" __global__ void sph_density(const int *cell_start, const float *x, const float *y, const float *z,
                                       float *density, int cells_x, int cells_y, int cells_z, float h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cell_start[cells_x * cells_y * cells_z])
        return;
    // the cell of particle i: the last one that starts at or before it
    int cell = 0, past = cells_x * cells_y * cells_z;
    while (past - cell > 1) {
        int middle = (cell + past) / 2;
        if (cell_start[middle] <= i)
            cell = middle;
        else
            past = middle;
    }
    int cx = cell % cells_x, cy = cell / cells_x % cells_y, cz = cell / cells_x / cells_y;
    float sum = 0.0f;
    for (int oz = -1; oz <= 1; oz++) {
        for (int oy = -1; oy <= 1; oy++) {
            for (int ox = -1; ox <= 1; ox++) {
                int nx = cx + ox, ny = cy + oy, nz = cz + oz;
                if (nx < 0 || nx >= cells_x || ny < 0 || ny >= cells_y || nz < 0 || nz >= cells_z)
                    continue;
                int other = (nz * cells_y + ny) * cells_x + nx;
                for (int j = cell_start[other]; j < cell_start[other + 1]; j++) {
                    float dx = x[j] + ox - x[i];
                    float dy = y[j] + oy - y[i];
                    float dz = z[j] + oz - z[i];
                    float r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 < h * h) {
                        float d = h * h - r2;
                        sum += d * d * d;
                    }
                }
            }
        }
    }
    density[i] = sum;
}
