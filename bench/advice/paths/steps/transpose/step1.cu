// Transpose of a row-major matrix: one thread per element, through a tile in shared memory.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[16][17];
    int col = blockIdx.x * 16 + threadIdx.x;
    int row = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();
    int out_col = blockIdx.y * 16 + threadIdx.x;
    int out_row = blockIdx.x * 16 + threadIdx.y;
    if (out_row < cols && out_col < rows)
        out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}
