// Second-moment (Gram) matrix of a table of samples, X^T X / rows: a block of 16 x 16 threads per tile of 32 x 64.
#define TILE_ROWS 32
#define TILE_COLS 64
#define STEP 16

extern "C" __global__ void gram_matrix(const float *x, float *gram, int rows, int cols) {
    __shared__ __align__(16) float row_values[STEP][TILE_ROWS]; // transposed: the tile's row is the second index
    __shared__ __align__(16) float col_values[STEP][TILE_COLS];
    int row0 = blockIdx.y * TILE_ROWS, col0 = blockIdx.x * TILE_COLS;
    int i0 = threadIdx.y * 2, j0 = threadIdx.x * 4;
    int thread = threadIdx.y * 16 + threadIdx.x;
    float sum[2][4] = {};
    for (int r0 = 0; r0 < rows; r0 += STEP) {
        if (thread < STEP * TILE_ROWS / 4) {
            int r = thread / (TILE_ROWS / 4), i = thread % (TILE_ROWS / 4) * 4;
            float4 value = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (r0 + r < rows && row0 + i < cols)
                value = *(const float4 *)&x[(r0 + r) * cols + row0 + i];
            *(float4 *)&row_values[r][i] = value;
        }
        {
            int r = thread / (TILE_COLS / 4), j = thread % (TILE_COLS / 4) * 4;
            float4 value = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (r0 + r < rows && col0 + j < cols)
                value = *(const float4 *)&x[(r0 + r) * cols + col0 + j];
            *(float4 *)&col_values[r][j] = value;
        }
        __syncthreads();
        for (int r = 0; r < STEP; r++) {
            float2 a2 = *(const float2 *)&row_values[r][i0];
            float4 b4 = *(const float4 *)&col_values[r][j0];
            float a[2] = {a2.x, a2.y};
            float b[4] = {b4.x, b4.y, b4.z, b4.w};
            for (int u = 0; u < 2; u++)
                for (int v = 0; v < 4; v++)
                    sum[u][v] += a[u] * b[v];
        }
        __syncthreads();
    }
    for (int u = 0; u < 2; u++)
        for (int v = 0; v < 4; v++)
            if (row0 + i0 + u < cols && col0 + j0 + v < cols)
                gram[(row0 + i0 + u) * cols + col0 + j0 + v] = sum[u][v] / rows;
}
