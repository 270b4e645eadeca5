// One step of the heat equation on a grid of nx × ny × nz points, in[i][j][k]. The boundary is kept.
// Each thread computes 4 results along k in 2 rows j;
// the rows of a block are staged in shared memory for the neighbours along k.
__device__ float4 load4(const float *p) { return *reinterpret_cast<const float4 *>(p); }

__device__ float update(float centre, float left, float right, float up, float down, float back, float front,
                        float alpha) {
    float sum = left + right + up + down + back + front;
    return centre + alpha * (sum - 6.0f * centre);
}

extern "C" __global__ void stencil_3d(const float *in, float *out, int nx, int ny, int nz, float alpha) {
    int k = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int j = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    int i = blockIdx.z * blockDim.z + threadIdx.z;
    int index = (i * ny + j) * nz + k;
    int plane = ny * nz;
    const float *p = in + index;

    __shared__ float4 tile[8][16][10]; // [i][j][k / 4], with 4 elements more at either end of each row
    int tx = threadIdx.x + 1, ty = threadIdx.y * 2, tz = threadIdx.z;
    bool inside = i < nx && j < ny && k < nz;
    bool second = inside && j + 1 < ny;
    float4 a, b;
    if (inside) {
        a = load4(p);
        tile[tz][ty][tx] = a;
        if (threadIdx.x == 0 && k > 0)
            tile[tz][ty][0] = load4(p - 4);
        if (threadIdx.x == 7 && k + 4 < nz)
            tile[tz][ty][9] = load4(p + 4);
    }
    if (second) {
        b = load4(p + nz);
        tile[tz][ty + 1][tx] = b;
        if (threadIdx.x == 0 && k > 0)
            tile[tz][ty + 1][0] = load4(p + nz - 4);
        if (threadIdx.x == 7 && k + 4 < nz)
            tile[tz][ty + 1][9] = load4(p + nz + 4);
    }
    __syncthreads();
    if (!inside)
        return;

    if (i > 0 && j > 0 && k > 0 && i < nx - 1 && j + 2 < ny && k + 4 < nz) {
        float4 above = load4(p - nz), below = load4(p + 2 * nz);
        float4 a_back = load4(p - plane), a_front = load4(p + plane);
        float4 b_back = load4(p + nz - plane), b_front = load4(p + nz + plane);
        float a_left = tile[tz][ty][tx - 1].w, a_right = tile[tz][ty][tx + 1].x;
        float b_left = tile[tz][ty + 1][tx - 1].w, b_right = tile[tz][ty + 1][tx + 1].x;
        float4 u, v;
        u.x = update(a.x, a_left, a.y, above.x, b.x, a_back.x, a_front.x, alpha);
        u.y = update(a.y, a.x, a.z, above.y, b.y, a_back.y, a_front.y, alpha);
        u.z = update(a.z, a.y, a.w, above.z, b.z, a_back.z, a_front.z, alpha);
        u.w = update(a.w, a.z, a_right, above.w, b.w, a_back.w, a_front.w, alpha);
        v.x = update(b.x, b_left, b.y, a.x, below.x, b_back.x, b_front.x, alpha);
        v.y = update(b.y, b.x, b.z, a.y, below.y, b_back.y, b_front.y, alpha);
        v.z = update(b.z, b.y, b.w, a.z, below.z, b_back.z, b_front.z, alpha);
        v.w = update(b.w, b.z, b_right, a.w, below.w, b_back.w, b_front.w, alpha);
        *reinterpret_cast<float4 *>(out + index) = u;
        *reinterpret_cast<float4 *>(out + index + nz) = v;
        return;
    }
    for (int jj = j; jj < j + 2 && jj < ny; jj++)
        for (int kk = k; kk < k + 4 && kk < nz; kk++) {
            int n = (i * ny + jj) * nz + kk;
            if (i == 0 || jj == 0 || kk == 0 || i == nx - 1 || jj == ny - 1 || kk == nz - 1)
                out[n] = in[n];
            else
                out[n] = update(in[n], in[n - 1], in[n + 1], in[n - nz], in[n + nz], in[n - plane], in[n + plane],
                                alpha);
        }
}
