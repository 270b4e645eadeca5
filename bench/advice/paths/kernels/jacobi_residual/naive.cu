// One Jacobi step for the Poisson equation, and the sum of the squared changes.
extern "C" __global__ void jacobi_residual(const float *u, const float *f, float *u_new, double *residual,
                                           int width, int height, float h2) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
        int i = y * width + x;
        float value = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - h2 * f[i]);
        float change = value - u[i];
        u_new[i] = value;
        atomicAdd(residual, (double)(change * change));
    }
}
