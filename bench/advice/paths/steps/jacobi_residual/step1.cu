// One Jacobi step for the Poisson equation, and the sum of the squared changes.
// Grid-stride loop over groups of 4 points of a row (the width is a multiple of 4); one atomic per block.
extern "C" __global__ void jacobi_residual(const float *u, const float *f, float *u_new, double *residual,
                                           int width, int height, float h2) {
    __shared__ double partial[32];
    double sum = 0.0;
    int quads = width / 4;
    int total = quads * height;
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < total; q += gridDim.x * blockDim.x) {
        int y = q / quads;
        int x = (q - y * quads) * 4;
        if (y < 1 || y >= height - 1)
            continue;
        int i = q * 4;
        float4 c = *reinterpret_cast<const float4 *>(u + i);
        float4 up = *reinterpret_cast<const float4 *>(u + i - width);
        float4 down = *reinterpret_cast<const float4 *>(u + i + width);
        float4 g = *reinterpret_cast<const float4 *>(f + i);
        float left = u[i - 1];
        float right = u[i + 4];
        float4 v;
        v.x = 0.25f * (left + c.y + up.x + down.x - h2 * g.x);
        v.y = 0.25f * (c.x + c.z + up.y + down.y - h2 * g.y);
        v.z = 0.25f * (c.y + c.w + up.z + down.z - h2 * g.z);
        v.w = 0.25f * (c.z + right + up.w + down.w - h2 * g.w);
        float dx = v.x - c.x, dy = v.y - c.y, dz = v.z - c.z, dw = v.w - c.w;
        if (x > 0 && x + 4 < width) {
            *reinterpret_cast<float4 *>(u_new + i) = v;
            sum += (double)(dx * dx) + (double)(dy * dy) + (double)(dz * dz) + (double)(dw * dw);
        } else {
            if (x > 0) {
                u_new[i] = v.x;
                sum += (double)(dx * dx);
            }
            u_new[i + 1] = v.y;
            u_new[i + 2] = v.z;
            sum += (double)(dy * dy) + (double)(dz * dz);
            if (x + 4 < width) {
                u_new[i + 3] = v.w;
                sum += (double)(dw * dw);
            }
        }
    }

    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
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
