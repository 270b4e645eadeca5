// Yee FDTD: half-step update of the magnetic field from the curl of E.
// Fields are stored C-style as F[i][j][k] (k along z is contiguous), one
// material byte per cell selects dt/mu from a small table.

__device__ __forceinline__ size_t cell(int i, int j, int k, int ny, int nz)
{
    return ((size_t)i * ny + j) * nz + k;
}

extern "C" __global__ void fdtd_h_update(
    float* __restrict__ Hx, float* __restrict__ Hy, float* __restrict__ Hz,
    const float* __restrict__ Ex, const float* __restrict__ Ey,
    const float* __restrict__ Ez, const unsigned char* __restrict__ material,
    const float* __restrict__ dtOverMu, int nx, int ny, int nz,
    float rdx, float rdy, float rdz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;   // x
    int j = blockIdx.y * blockDim.y + threadIdx.y;   // y
    int k = blockIdx.z * blockDim.z + threadIdx.z;   // z

    // the last layer in each direction has no forward neighbour (PEC wall)
    if (i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;

    size_t c  = cell(i, j, k, ny, nz);
    size_t xp = cell(i + 1, j, k, ny, nz);
    size_t yp = cell(i, j + 1, k, ny, nz);
    size_t zp = cell(i, j, k + 1, ny, nz);

    float db = dtOverMu[material[c]];

    float ex = Ex[c], ey = Ey[c], ez = Ez[c];

    float curlx = (Ez[yp] - ez) * rdy - (Ey[zp] - ey) * rdz;
    float curly = (Ex[zp] - ex) * rdz - (Ez[xp] - ez) * rdx;
    float curlz = (Ey[xp] - ey) * rdx - (Ex[yp] - ex) * rdy;

    Hx[c] -= db * curlx;
    Hy[c] -= db * curly;
    Hz[c] -= db * curlz;
}
