// Dot product: each block adds its products up in a tree, and adds its sum to the result.
extern "C" __global__ void dot_product(const float *x, const float *y, float *result, int n) {
    __shared__ float partial[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int tid = threadIdx.x;

    partial[tid] = (i < n) ? x[i] * y[i] : 0.0f;
    __syncthreads();

    #pragma unroll 16
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(result, partial[0]);
}
