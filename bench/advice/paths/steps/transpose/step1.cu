// Transpose of a row-major matrix: a block loads a tile's rows into shared memory and reads its columns from there.
#define TILE 16
extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE];
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();
    int out_row = blockIdx.x * TILE + threadIdx.y;   // a column of in
    int out_col = blockIdx.y * TILE + threadIdx.x;   // a row of in
    if (out_row < cols && out_col < rows)
        out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}
