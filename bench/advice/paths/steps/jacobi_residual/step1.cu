// One Jacobi step for the Poisson equation, and the sum of the squared changes.
// A grid-stride loop over groups of four elements; one atomic per block.
extern "C" __global__ void jacobi_residual(const float *u, const float *f, float *u_new, double *residual,
                                           int width, int height, float h2) {
    __shared__ double sums[32];
    double sum = 0.0;
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    if (width % 4 == 0) {
        int per_row = width / 4;
        int groups = per_row * (height - 2);
        for (int g = first; g < groups; g += stride) {
            int y = g / per_row + 1;
            int x = (g % per_row) * 4;
            int i = y * width + x;
            float4 c = *reinterpret_cast<const float4 *>(u + i);
            float4 n = *reinterpret_cast<const float4 *>(u + i - width);
            float4 s = *reinterpret_cast<const float4 *>(u + i + width);
            float4 b = *reinterpret_cast<const float4 *>(f + i);
            float l = x > 0 ? u[i - 1] : 0.0f;
            float r = x + 4 < width ? u[i + 4] : 0.0f;
            float4 v;
            v.x = 0.25f * (l + c.y + n.x + s.x - h2 * b.x);
            v.y = 0.25f * (c.x + c.z + n.y + s.y - h2 * b.y);
            v.z = 0.25f * (c.y + c.w + n.z + s.z - h2 * b.z);
            v.w = 0.25f * (c.z + r + n.w + s.w - h2 * b.w);
            float dx = v.x - c.x, dy = v.y - c.y, dz = v.z - c.z, dw = v.w - c.w;
            if (x > 0 && x + 4 < width) {
                *reinterpret_cast<float4 *>(u_new + i) = v;
                sum += (double)(dx * dx);
                sum += (double)(dy * dy);
                sum += (double)(dz * dz);
                sum += (double)(dw * dw);
            } else {
                if (x > 0) {
                    u_new[i] = v.x;
                    sum += (double)(dx * dx);
                }
                u_new[i + 1] = v.y;
                sum += (double)(dy * dy);
                u_new[i + 2] = v.z;
                sum += (double)(dz * dz);
                if (x + 4 < width) {
                    u_new[i + 3] = v.w;
                    sum += (double)(dw * dw);
                }
            }
        }
    } else {
        for (int i = first; i < width * height; i += stride) {
            int x = i % width;
            int y = i / width;
            if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
                float value = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - h2 * f[i]);
                float change = value - u[i];
                u_new[i] = value;
                sum += (double)(change * change);
            }
        }
    }
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, o);
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? sums[lane] : 0.0;
        for (int o = 16; o > 0; o /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, o);
        if (lane == 0)
            atomicAdd(residual, sum);
    }
}
