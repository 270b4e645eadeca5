// One Jacobi step for the Poisson equation, and the sum of the squared changes.
extern "C" __global__ void jacobi_residual(const float *u, const float *f, float *u_new, double *residual,
                                           int width, int height, float h2) {
    __shared__ double residual_block;
    if ((threadIdx.y * blockDim.x + threadIdx.x) == 0) residual_block = 0;
    double residual_thread = 0;
    __syncthreads();
    // Does the work of 32768 blocks.
    #pragma unroll 4
    for (unsigned b = blockIdx.x; b < 32768; b += gridDim.x) {
    const uint3 block_index = {b % 256, b / 256, 0};
    int x = block_index.x * blockDim.x + threadIdx.x;
    int y = block_index.y * blockDim.y + threadIdx.y;
    if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
        int i = y * width + x;
        float value = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - h2 * f[i]);
        float change = value - u[i];
        u_new[i] = value;
        residual_thread += ( (double)(change * change));
    }
    }
    for (int offset = 16; offset > 0; offset /= 2) residual_thread += __shfl_down_sync(0xffffffff, residual_thread, offset);
    if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0) atomicAdd(&residual_block, residual_thread);
    __syncthreads();
    if ((threadIdx.y * blockDim.x + threadIdx.x) == 0 && residual_block != 0) atomicAdd(residual, residual_block);
}
