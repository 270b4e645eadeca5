// One Jacobi step for the Poisson equation, and the sum of the squared changes.
// The 32 lanes of a warp share a row: adjacent lanes take adjacent points; one atomic per block.
extern "C" __global__ void jacobi_residual(const float *u, const float *f, float *u_new, double *residual,
                                           int width, int height, float h2) {
    __shared__ double partial[32];
    double sum = 0.0;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int strips = width / 32;  // of a row
    int total = strips * height;
    int warps = gridDim.x * blockDim.x / 32;
    for (int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; w < total; w += warps) {
        int y = w / strips;
        int x = (w - y * strips) * 32 + lane;
        if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
            int i = y * width + x;
            float value = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - h2 * f[i]);
            float change = value - u[i];
            u_new[i] = value;
            sum += (double)(change * change);
        }
    }

    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        partial[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? partial[lane] : 0.0;
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0)
            atomicAdd(residual, sum);
    }
}
