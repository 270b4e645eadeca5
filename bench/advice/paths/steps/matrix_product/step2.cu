// C = A · B for square row-major matrices (n a multiple of 64): a block of 16 × 16 threads computes a tile
// of 64 × 64, each thread 4 × 4 results in registers. Two buffers in turn: the next tile's loads are in
// flight while the current one is used, and one barrier per tile is enough.
extern "C" __global__ void matrix_product(const float *a, const float *b, float *c, int n) {
    __shared__ __align__(16) float as[2][16][64 + 4]; // transposed: as[buffer][k][row]
    __shared__ __align__(16) float bs[2][16][64];
    int tid = threadIdx.y * 16 + threadIdx.x;
    int row0 = blockIdx.y * 64;
    int col0 = blockIdx.x * 64;
    int a_row = tid / 4, a_k = tid % 4 * 4;
    int b_k = tid / 16, b_col = tid % 16 * 4;
    const float *a_next = &a[(row0 + a_row) * n + a_k];
    const float *b_next = &b[b_k * n + col0 + b_col];
    float sum[4][4] = {};
    float4 av = *reinterpret_cast<const float4 *>(a_next);
    float4 bv = *reinterpret_cast<const float4 *>(b_next);
    as[0][a_k][a_row] = av.x;
    as[0][a_k + 1][a_row] = av.y;
    as[0][a_k + 2][a_row] = av.z;
    as[0][a_k + 3][a_row] = av.w;
    *reinterpret_cast<float4 *>(&bs[0][b_k][b_col]) = bv;
    __syncthreads();
    int buffer = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        bool more = k0 + 16 < n;
        if (more) {
            a_next += 16;
            b_next += 16 * n;
            av = *reinterpret_cast<const float4 *>(a_next);
            bv = *reinterpret_cast<const float4 *>(b_next);
        }
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 ra = *reinterpret_cast<const float4 *>(&as[buffer][k][threadIdx.y * 4]);
            float4 rb = *reinterpret_cast<const float4 *>(&bs[buffer][k][threadIdx.x * 4]);
            float r[4] = {ra.x, ra.y, ra.z, ra.w};
            float q[4] = {rb.x, rb.y, rb.z, rb.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] += r[i] * q[j];
        }
        if (more) {
            buffer ^= 1;
            as[buffer][a_k][a_row] = av.x;
            as[buffer][a_k + 1][a_row] = av.y;
            as[buffer][a_k + 2][a_row] = av.z;
            as[buffer][a_k + 3][a_row] = av.w;
            *reinterpret_cast<float4 *>(&bs[buffer][b_k][b_col]) = bv;
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(&c[(row0 + threadIdx.y * 4 + i) * n + col0 + threadIdx.x * 4]) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
