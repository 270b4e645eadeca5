// Manhattan (L1) distances between all pairs of two sets of vectors: a block of 16 x 16 threads per tile of 128 x 128.
#define TILE 128
#define STEP 16

extern "C" __global__ void manhattan_distances(const float *a, const float *b, float *distances, int n, int m,
                                               int dim) {
    __shared__ __align__(16) float row_values[STEP][TILE]; // transposed: the row is the second index
    __shared__ __align__(16) float col_values[STEP][TILE];
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    int i0 = threadIdx.y * 8, j0 = threadIdx.x; // columns j0, j0 + 16, ...
    int thread = threadIdx.y * 16 + threadIdx.x;
    float sum[8][8] = {};
    for (int k0 = 0; k0 < dim; k0 += STEP) {
        for (int e = thread; e < TILE * STEP / 4; e += 256) {
            int row = e / (STEP / 4), k = e % (STEP / 4) * 4;
            float4 x = make_float4(0.0f, 0.0f, 0.0f, 0.0f), y = x; // dim is a multiple of 4
            if (row0 + row < n && k0 + k < dim)
                x = *(const float4 *)&a[(row0 + row) * dim + k0 + k];
            if (col0 + row < m && k0 + k < dim)
                y = *(const float4 *)&b[(col0 + row) * dim + k0 + k];
            row_values[k][row] = x.x;
            row_values[k + 1][row] = x.y;
            row_values[k + 2][row] = x.z;
            row_values[k + 3][row] = x.w;
            col_values[k][row] = y.x;
            col_values[k + 1][row] = y.y;
            col_values[k + 2][row] = y.z;
            col_values[k + 3][row] = y.w;
        }
        __syncthreads();
        for (int k = 0; k < STEP; k++) {
            float x[8], y[8];
            *(float4 *)&x[0] = *(const float4 *)&row_values[k][i0];
            *(float4 *)&x[4] = *(const float4 *)&row_values[k][i0 + 4];
            for (int v = 0; v < 8; v++)
                y[v] = col_values[k][j0 + 16 * v];
            for (int u = 0; u < 8; u++)
                for (int v = 0; v < 8; v++)
                    sum[u][v] += fabsf(x[u] - y[v]);
        }
        __syncthreads();
    }
    for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++)
            if (row0 + i0 + u < n && col0 + j0 + 16 * v < m)
                distances[(row0 + i0 + u) * m + col0 + j0 + 16 * v] = sum[u][v];
}
