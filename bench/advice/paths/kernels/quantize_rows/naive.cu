// Quantises each row of a matrix to int8 with its own scale, the largest magnitude / 127: one block per row.
extern "C" __global__ void quantize_rows(const float *x, signed char *q, float *scales, int rows, int cols) {
    __shared__ float largest[256];
    int row = blockIdx.x;
    int t = threadIdx.x;

    float mine = 0.0f;
    for (int j = t; j < cols; j += blockDim.x)
        mine = fmaxf(mine, fabsf(x[row * cols + j]));
    largest[t] = mine;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step)
            largest[t] = fmaxf(largest[t], largest[t + step]);
        __syncthreads();
    }

    float scale = largest[0] / 127.0f;
    if (t == 0)
        scales[row] = scale;
    for (int j = t; j < cols; j += blockDim.x)
        q[row * cols + j] = (signed char)roundf(x[row * cols + j] / scale);
}
