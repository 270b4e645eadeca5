// Transpose of a row-major matrix: one thread per element.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols)
        out[col * rows + row] = in[row * cols + col];
}
