// One Jacobi step for the Poisson equation, and the sum of the squared changes.
// Grid-stride loop over groups of 4 adjacent elements; one atomic per block.
extern "C" __global__ void jacobi_residual(const float *u, const float *f, float *u_new, double *residual,
                                           int width, int height, float h2) {
    __shared__ double part[32];
    double sum = 0.0;
    int total = width * height / 4; // width is a multiple of 4: a group lies in one row
    if (width % 4 == 0) {
        for (int g = blockIdx.x * blockDim.x + threadIdx.x; g < total; g += gridDim.x * blockDim.x) {
            int i = g * 4;
            int y = i / width;
            int x = i - y * width;
            if (y < 1 || y >= height - 1)
                continue;
            float4 here = *(const float4 *)(u + i);
            float4 up = *(const float4 *)(u + i - width);
            float4 down = *(const float4 *)(u + i + width);
            float4 rhs = *(const float4 *)(f + i);
            float left = u[i - 1];
            float right = u[i + 4];
            float4 value;
            value.x = 0.25f * (left + here.y + up.x + down.x - h2 * rhs.x);
            value.y = 0.25f * (here.x + here.z + up.y + down.y - h2 * rhs.y);
            value.z = 0.25f * (here.y + here.w + up.z + down.z - h2 * rhs.z);
            value.w = 0.25f * (here.z + right + up.w + down.w - h2 * rhs.w);
            float cx = value.x - here.x, cy = value.y - here.y, cz = value.z - here.z, cw = value.w - here.w;
            if (x >= 1 && x + 4 < width) {
                *(float4 *)(u_new + i) = value;
                sum += (double)(cx * cx);
                sum += (double)(cy * cy);
                sum += (double)(cz * cz);
                sum += (double)(cw * cw);
            } else {
                if (x >= 1) {
                    u_new[i] = value.x;
                    sum += (double)(cx * cx);
                }
                if (x + 1 < width - 1) {
                    u_new[i + 1] = value.y;
                    sum += (double)(cy * cy);
                    u_new[i + 2] = value.z;
                    sum += (double)(cz * cz);
                }
                if (x + 3 < width - 1) {
                    u_new[i + 3] = value.w;
                    sum += (double)(cw * cw);
                }
            }
        }
    } else {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < width * height; i += gridDim.x * blockDim.x) {
            int y = i / width;
            int x = i - y * width;
            if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
                float value = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - h2 * f[i]);
                float change = value - u[i];
                u_new[i] = value;
                sum += (double)(change * change);
            }
        }
    }

    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        double all = 0.0;
        for (int w = 0; w < (blockDim.x + 31) / 32; w++)
            all += part[w];
        atomicAdd(residual, all);
    }
}
