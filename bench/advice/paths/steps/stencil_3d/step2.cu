// One step of the heat equation on a grid of nx × ny × nz points, in[i][j][k]. The boundary is kept.
// threadIdx.x runs along the contiguous index, k. A thread computes 4 adjacent results in each of 2 rows.
__device__ void one_point(const float *in, float *out, int i, int j, int k, int nx, int ny, int nz, float alpha) {
    if (i >= nx || j >= ny || k >= nz)
        return;
    int index = (i * ny + j) * nz + k;
    if (i == 0 || j == 0 || k == 0 || i == nx - 1 || j == ny - 1 || k == nz - 1) {
        out[index] = in[index];
        return;
    }
    float sum = in[index - 1] + in[index + 1]
              + in[index - nz] + in[index + nz]
              + in[index - ny * nz] + in[index + ny * nz];
    out[index] = in[index] + alpha * (sum - 6.0f * in[index]);
}

__device__ float4 load4(const float *p) {
    return *reinterpret_cast<const float4 *>(p);
}

__device__ float point(float l, float r, float u, float d, float b, float f, float c, float alpha) {
    float sum = l + r + u + d + b + f;
    return c + alpha * (sum - 6.0f * c);
}

extern "C" __global__ void stencil_3d(const float *in, float *out, int nx, int ny, int nz, float alpha) {
    int k = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int j = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    int i = blockIdx.z * blockDim.z + threadIdx.z;

    bool inside = i >= 1 && i < nx - 1 && j >= 1 && j + 1 < ny - 1 && k >= 1 && k + 3 < nz - 1 && nz % 4 == 0;
    if (!inside) {
        for (int b = 0; b < 2; b++)
            for (int a = 0; a < 4; a++)
                one_point(in, out, i, j + b, k + a, nx, ny, nz, alpha);
        return;
    }

    int index = (i * ny + j) * nz + k;
    int plane = ny * nz;
    float4 above = load4(in + index - nz);
    float4 c0 = load4(in + index);
    float4 c1 = load4(in + index + nz);
    float4 below = load4(in + index + 2 * nz);
    float4 b0 = load4(in + index - plane);
    float4 b1 = load4(in + index - plane + nz);
    float4 f0 = load4(in + index + plane);
    float4 f1 = load4(in + index + plane + nz);
    float l0 = in[index - 1], r0 = in[index + 4];
    float l1 = in[index + nz - 1], r1 = in[index + nz + 4];

    float4 o0, o1;
    o0.x = point(l0, c0.y, above.x, c1.x, b0.x, f0.x, c0.x, alpha);
    o0.y = point(c0.x, c0.z, above.y, c1.y, b0.y, f0.y, c0.y, alpha);
    o0.z = point(c0.y, c0.w, above.z, c1.z, b0.z, f0.z, c0.z, alpha);
    o0.w = point(c0.z, r0, above.w, c1.w, b0.w, f0.w, c0.w, alpha);
    o1.x = point(l1, c1.y, c0.x, below.x, b1.x, f1.x, c1.x, alpha);
    o1.y = point(c1.x, c1.z, c0.y, below.y, b1.y, f1.y, c1.y, alpha);
    o1.z = point(c1.y, c1.w, c0.z, below.z, b1.z, f1.z, c1.z, alpha);
    o1.w = point(c1.z, r1, c0.w, below.w, b1.w, f1.w, c1.w, alpha);
    *reinterpret_cast<float4 *>(out + index) = o0;
    *reinterpret_cast<float4 *>(out + index + nz) = o1;
}
