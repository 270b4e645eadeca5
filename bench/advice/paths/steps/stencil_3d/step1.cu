// One step of the heat equation on a grid of nx × ny × nz points, in[i][j][k]. The boundary is kept.
extern "C" __global__ void stencil_3d(const float *in, float *out, int nx, int ny, int nz, float alpha) {
    int i = blockIdx.z * blockDim.z + threadIdx.z;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.x * blockDim.x + threadIdx.x;
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
