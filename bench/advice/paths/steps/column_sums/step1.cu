// Sum of every column of a row-major matrix: one thread per column and part of the rows.
extern "C" __global__ void column_sums(const float *matrix, float *sums, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols)
        return;
    int part = (rows + gridDim.y - 1) / gridDim.y;
    int begin = blockIdx.y * part;
    int end = min(begin + part, rows);
    float sum = 0.0f;
    for (int row = begin; row < end; row++)
        sum += matrix[row * cols + col];
    atomicAdd(&sums[col], sum);
}

extern "C" void launch(void **arguments, cudaStream_t stream) {
    const float *matrix = *(const float **)arguments[0];
    float *sums = *(float **)arguments[1];
    int rows = *(int *)arguments[2];
    int cols = *(int *)arguments[3];
    cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);
    column_sums<<<dim3(16, 32), 256, 0, stream>>>(matrix, sums, rows, cols);
}
