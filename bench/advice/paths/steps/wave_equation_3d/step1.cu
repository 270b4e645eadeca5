// One time step of the wave equation in 3-D, eighth order in space: 4 x 4 grid points (x, y) per thread. The outermost
// four points on each side are left alone.
static __device__ void one_point(const float *u, const float *previous, float *next, const float *c, int nx, int ny,
                                 int nz, float factor, int x, int y, int z) {
    if (x < 4 || x >= nx - 4 || y < 4 || y >= ny - 4 || z < 4 || z >= nz - 4)
        return;
    int i = (z * ny + y) * nx + x;
    float laplacian = 3.0f * c[0] * u[i];
    for (int r = 1; r <= 4; r++) {
        laplacian += c[r] * (u[i - r] + u[i + r] +
                             u[i - r * nx] + u[i + r * nx] +
                             u[i - r * nx * ny] + u[i + r * nx * ny]);
    }
    next[i] = 2.0f * u[i] - previous[i] + factor * laplacian;
}

static __device__ void load4(float *to, const float *from) {
    float4 v = *reinterpret_cast<const float4 *>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

extern "C" __global__ void __launch_bounds__(512) wave_equation_3d(const float *u, const float *previous, float *next, const float *coefficients,
                                            int nx, int ny, int nz, float factor) {
    __shared__ float c[5];
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (t < 5)
        c[t] = coefficients[t];
    __syncthreads();

    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (nx % 4 != 0) {
        // rows that float4 cannot access: as before
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                one_point(u, previous, next, c, nx, ny, nz, factor, x + k, y + j, z);
        return;
    }
    // tiles without any result
    if (x < 4 || x >= nx - 4 || y < 4 || y >= ny - 4 || z < 4 || z >= nz - 4)
        return;

    // own plane: rows y-4 … y+7; the middle four with columns x-4 … x+7, the others x … x+3
    float own[12][12];
#pragma unroll
    for (int j = 0; j < 12; j++) {
        const float *line = u + (z * ny + min(y - 4 + j, ny - 1)) * nx + x;
        load4(&own[j][4], line);
        if (j >= 4 && j < 8) {
            load4(&own[j][0], line - 4);
            load4(&own[j][8], line + 4);
        }
    }
    float laplacian[4][4];
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            laplacian[j][k] = 3.0f * c[0] * own[4 + j][4 + k];
#pragma unroll
    for (int r = 1; r <= 4; r++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int row = min(y + j, ny - 1);
            float below[4], above[4];
            load4(below, u + ((z - r) * ny + row) * nx + x);
            load4(above, u + ((z + r) * ny + row) * nx + x);
#pragma unroll
            for (int k = 0; k < 4; k++)
                laplacian[j][k] += c[r] * (own[4 + j][4 + k - r] + own[4 + j][4 + k + r] +
                                           own[4 + j - r][4 + k] + own[4 + j + r][4 + k] +
                                           below[k] + above[k]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        if (y + j < ny - 4) {
            int i = (z * ny + y + j) * nx + x;
            float before[4];
            load4(before, previous + i);
            *reinterpret_cast<float4 *>(&next[i]) =
                make_float4(2.0f * own[4 + j][4] - before[0] + factor * laplacian[j][0],
                            2.0f * own[4 + j][5] - before[1] + factor * laplacian[j][1],
                            2.0f * own[4 + j][6] - before[2] + factor * laplacian[j][2],
                            2.0f * own[4 + j][7] - before[3] + factor * laplacian[j][3]);
        }
    }
}
