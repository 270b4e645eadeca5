// Dot product: each block adds its products up in a tree, and adds its sum to the result.
extern "C" __global__ void dot_product(const float *x, const float *y, float *result, int n) {
    __shared__ float partial[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int tid = threadIdx.x;

    // Tested once for the block: only the last block can need the test of each thread.
    if ((blockIdx.x + 1) * blockDim.x <= n)
        partial[tid] = x[i] * y[i];
    else
        partial[tid] = (i < n) ? x[i] * y[i] : 0.0f;
    __syncthreads();

    // tid % (2 * s) == 0 holds while s is below the lowest set bit of tid: computed once, before the loop.
    int end = (tid == 0) ? blockDim.x : (tid & -tid);
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (s < end)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(result, partial[0]);
}
