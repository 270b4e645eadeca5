// One step of the heat equation on a grid of nx × ny × nz points, in[i][j][k]. The boundary is kept. 4 x 2 results per thread.
extern "C" __global__ void stencil_3d(const float *in, float *out, int nx, int ny, int nz, float alpha) {
    int i = blockIdx.z * blockDim.z + threadIdx.z;
    int j0 = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    int k0 = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= 1 && i < nx - 1 && j0 >= 1 && j0 + 2 < ny && k0 >= 1 && k0 + 4 < nz && nz % 4 == 0) {
        int index0 = (i * ny + j0) * nz + k0;
        float row[4][12];
        float below[2][4], above[2][4];
        float sum[2][4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const float *p = in + index0 + (r - 1) * nz;
#pragma unroll
            for (int q = 0; q < 3; q++) {
                if ((r == 0 || r == 3) && q != 1)
                    continue;
                float4 v = *(const float4 *)(p - 4 + 4 * q);
                row[r][4 * q] = v.x;
                row[r][4 * q + 1] = v.y;
                row[r][4 * q + 2] = v.z;
                row[r][4 * q + 3] = v.w;
            }
        }
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float4 v = *(const float4 *)(in + index0 + r * nz - ny * nz);
            below[r][0] = v.x;
            below[r][1] = v.y;
            below[r][2] = v.z;
            below[r][3] = v.w;
            v = *(const float4 *)(in + index0 + r * nz + ny * nz);
            above[r][0] = v.x;
            above[r][1] = v.y;
            above[r][2] = v.z;
            above[r][3] = v.w;
        }
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                sum[r][c] = row[r + 1][3 + c] + row[r + 1][5 + c] + row[r][4 + c] + row[r + 2][4 + c] + below[r][c] + above[r][c];
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                out[index0 + r * nz + c] = row[r + 1][4 + c] + alpha * (sum[r][c] - 6.0f * row[r + 1][4 + c]);
        return;
    }
    for (int j = j0; j < j0 + 2; j++) {
        for (int k = k0; k < k0 + 4; k++) {
            if (i >= nx || j >= ny || k >= nz)
                continue;
            int index = (i * ny + j) * nz + k;
            if (i == 0 || j == 0 || k == 0 || i == nx - 1 || j == ny - 1 || k == nz - 1) {
                out[index] = in[index];
                continue;
            }
            float sum = in[index - 1] + in[index + 1]
                      + in[index - nz] + in[index + nz]
                      + in[index - ny * nz] + in[index + ny * nz];
            out[index] = in[index] + alpha * (sum - 6.0f * in[index]);
        }
    }
}
