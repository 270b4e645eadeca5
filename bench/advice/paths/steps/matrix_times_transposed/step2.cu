// C = A · Bᵀ, all row-major: a block of 16 x 16 threads computes a tile of 64 x 64 of C, 4 x 4 results per thread.
#define TILE 64
#define STEP 16
#define PADDED (TILE + 4)   // an odd multiple of 4 words

__device__ float4 load4(const float *from, int row, int rows, int i, int k) {
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (row < rows) {
        const float *p = from + row * k + i;
        if (k % 4 == 0) {
            if (i < k)
                v = *reinterpret_cast<const float4 *>(p);
        } else {
            if (i < k) v.x = p[0];
            if (i + 1 < k) v.y = p[1];
            if (i + 2 < k) v.z = p[2];
            if (i + 3 < k) v.w = p[3];
        }
    }
    return v;
}

extern "C" __global__ void matrix_times_transposed(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ __align__(16) float as[STEP][PADDED];   // transposed: as[i][row]
    __shared__ __align__(16) float bs[STEP][PADDED];   // bs[i][column]
    int t = threadIdx.y * 16 + threadIdx.x;
    int loadRow = t / 4, loadI = t % 4 * 4;
    int rowBase = blockIdx.y * TILE, colBase = blockIdx.x * TILE;
    float sum[4][4] = {};
    for (int i0 = 0; i0 < k; i0 += STEP) {
        float4 va = load4(a, rowBase + loadRow, m, i0 + loadI, k);
        float4 vb = load4(b, colBase + loadRow, n, i0 + loadI, k);
        as[loadI][loadRow] = va.x;
        as[loadI + 1][loadRow] = va.y;
        as[loadI + 2][loadRow] = va.z;
        as[loadI + 3][loadRow] = va.w;
        bs[loadI][loadRow] = vb.x;
        bs[loadI + 1][loadRow] = vb.y;
        bs[loadI + 2][loadRow] = vb.z;
        bs[loadI + 3][loadRow] = vb.w;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < STEP; i++) {
            float4 ra = *reinterpret_cast<const float4 *>(&as[i][threadIdx.y * 4]);
            float4 rb = *reinterpret_cast<const float4 *>(&bs[i][threadIdx.x * 4]);
            float x[4] = {ra.x, ra.y, ra.z, ra.w}, y[4] = {rb.x, rb.y, rb.z, rb.w};
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    sum[p][q] += x[p] * y[q];
        }
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int q = 0; q < 4; q++) {
            int row = rowBase + threadIdx.y * 4 + p, col = colBase + threadIdx.x * 4 + q;
            if (row < m && col < n)
                c[row * n + col] = sum[p][q];
        }
}
