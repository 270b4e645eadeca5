// Column pass of a 2-D FFT: 256-point complex forward transforms down the
// columns of a row-major 256 x ncol image (batch of images in blockIdx.y).
// A block takes 16 neighbouring columns so that global accesses are 128 bytes
// wide; radix-4 Stockham stages in shared memory, 64 threads per column.

#define NPTS 256
#define COLS 16

__device__ __forceinline__ float2 cmul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ void fft4(float2 v[4])
{
    float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y);
    float2 b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y);
    float2 d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);  // -i(v1-v3)
    v[0] = make_float2(a.x + c.x, a.y + c.y);
    v[1] = make_float2(b.x + d.x, b.y + d.y);
    v[2] = make_float2(a.x - c.x, a.y - c.y);
    v[3] = make_float2(b.x - d.x, b.y - d.y);
}

extern "C" __global__ void __launch_bounds__(1024) fft256_columns(
    const float2* __restrict__ in, float2* __restrict__ out, int ncol)
{
    __shared__ float2 s[COLS][NPTS];

    int c = threadIdx.x;                 // column inside the tile
    int t = threadIdx.y;                 // 0..63
    int col = blockIdx.x * COLS + c;     // ncol is a multiple of 16
    size_t base = (size_t)blockIdx.y * NPTS * ncol + col;

    #pragma unroll
    for (int k = 0; k < 4; ++k)
        s[c][t + 64 * k] = in[base + (size_t)(t + 64 * k) * ncol];
    __syncthreads();

    #pragma unroll
    for (int ns = 1; ns < NPTS; ns *= 4) {
        float2 v[4];
        #pragma unroll
        for (int k = 0; k < 4; ++k) v[k] = s[c][t + 64 * k];
        __syncthreads();

        int j = t & (ns - 1);
        if (ns > 1) {
            float sn, cs;
            sincospif(-0.5f * j / ns, &sn, &cs);
            float2 w1 = make_float2(cs, sn);
            float2 w2 = cmul(w1, w1);
            float2 w3 = cmul(w2, w1);
            v[1] = cmul(v[1], w1);
            v[2] = cmul(v[2], w2);
            v[3] = cmul(v[3], w3);
        }
        fft4(v);

        int d = (t - j) * 4 + j;
        #pragma unroll
        for (int k = 0; k < 4; ++k) s[c][d + k * ns] = v[k];
        __syncthreads();
    }

    #pragma unroll
    for (int k = 0; k < 4; ++k)
        out[base + (size_t)(t + 64 * k) * ncol] = s[c][t + 64 * k];
}
