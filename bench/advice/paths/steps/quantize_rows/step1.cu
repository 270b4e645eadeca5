// Quantises each row of a matrix to int8 with its own scale, the largest magnitude / 127: one block per row.
extern "C" __global__ void quantize_rows(const float *x, signed char *q, float *scales, int rows, int cols) {
    __shared__ float largest[256];
    int row = blockIdx.x;
    int t = threadIdx.x;
    int step4 = blockDim.x;

    float mine = 0.0f;
    int j = t;
    for (; j + 3 * step4 < cols; j += 4 * step4) {
        float v0 = x[row * cols + j];
        float v1 = x[row * cols + j + step4];
        float v2 = x[row * cols + j + 2 * step4];
        float v3 = x[row * cols + j + 3 * step4];
        mine = fmaxf(mine, fabsf(v0));
        mine = fmaxf(mine, fabsf(v1));
        mine = fmaxf(mine, fabsf(v2));
        mine = fmaxf(mine, fabsf(v3));
    }
    for (; j < cols; j += step4)
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
