// C = A · B for square row-major matrices (n a multiple of 64): a block of 16 × 16 threads computes a tile
// of 64 × 64, each thread 4 × 4 results in registers.
extern "C" __global__ void matrix_product(const float *a, const float *b, float *c, int n) {
    __shared__ __align__(16) float as[16][64 + 4]; // transposed: as[k][row]
    __shared__ __align__(16) float bs[16][64];
    int tid = threadIdx.y * 16 + threadIdx.x;
    int row0 = blockIdx.y * 64;
    int col0 = blockIdx.x * 64;
    int a_row = tid / 4, a_k = tid % 4 * 4;
    int b_k = tid / 16, b_col = tid % 16 * 4;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        float4 av = *reinterpret_cast<const float4 *>(&a[(row0 + a_row) * n + k0 + a_k]);
        float4 bv = *reinterpret_cast<const float4 *>(&b[(k0 + b_k) * n + col0 + b_col]);
        as[a_k][a_row] = av.x;
        as[a_k + 1][a_row] = av.y;
        as[a_k + 2][a_row] = av.z;
        as[a_k + 3][a_row] = av.w;
        *reinterpret_cast<float4 *>(&bs[b_k][b_col]) = bv;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 ra = *reinterpret_cast<const float4 *>(&as[k][threadIdx.y * 4]);
            float4 rb = *reinterpret_cast<const float4 *>(&bs[k][threadIdx.x * 4]);
            float r[4] = {ra.x, ra.y, ra.z, ra.w};
            float q[4] = {rb.x, rb.y, rb.z, rb.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] += r[i] * q[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(&c[(row0 + threadIdx.y * 4 + i) * n + col0 + threadIdx.x * 4]) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
