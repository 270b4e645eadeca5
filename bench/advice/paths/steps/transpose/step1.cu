// Transpose of a row-major matrix: a tile of 32 x 32 elements per block.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[32][33];
    for (int j = 0; j < 32; j += 8) {
        int x = blockIdx.x * 32 + threadIdx.x;
        int y = blockIdx.y * 32 + threadIdx.y + j;
        if (y < rows && x < cols)
            tile[threadIdx.y + j][threadIdx.x] = in[y * cols + x];
    }
    __syncthreads();
    for (int j = 0; j < 32; j += 8) {
        int x = blockIdx.x * 32 + threadIdx.y + j;
        int y = blockIdx.y * 32 + threadIdx.x;
        if (y < rows && x < cols)
            out[x * rows + y] = tile[threadIdx.x][threadIdx.y + j];
    }
}
