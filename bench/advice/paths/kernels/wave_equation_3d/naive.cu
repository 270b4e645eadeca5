// One time step of the wave equation in 3-D, eighth order in space: one thread per grid point. The outermost four points
// on each side are left alone.
extern "C" __global__ void wave_equation_3d(const float *u, const float *previous, float *next, const float *coefficients,
                                            int nx, int ny, int nz, float factor) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 4 || x >= nx - 4 || y < 4 || y >= ny - 4 || z < 4 || z >= nz - 4)
        return;

    int i = (z * ny + y) * nx + x;
    float laplacian = 3.0f * coefficients[0] * u[i];
    for (int r = 1; r <= 4; r++) {
        laplacian += coefficients[r] * (u[i - r] + u[i + r] +
                                        u[i - r * nx] + u[i + r * nx] +
                                        u[i - r * nx * ny] + u[i + r * nx * ny]);
    }
    next[i] = 2.0f * u[i] - previous[i] + factor * laplacian;
}
