// Dot product: each block adds its products up in a tree, and adds its sum to the result.
// The bounds test is made once per block, and the tree's test once before the loop: thread tid takes part in
// the levels s with 2 * s <= the lowest set bit of tid (all levels for tid 0). The loop itself cannot be split
// at that point, because all threads have to meet at its barrier.
extern "C" __global__ void dot_product(const float *x, const float *y, float *result, int n) {
    __shared__ float partial[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int tid = threadIdx.x;

    if (blockIdx.x * blockDim.x + blockDim.x <= n)
        partial[tid] = x[i] * y[i];
    else
        partial[tid] = (i < n) ? x[i] * y[i] : 0.0f;
    __syncthreads();

    int last = tid == 0 ? blockDim.x : (tid & -tid);
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (2 * s <= last)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(result, partial[0]);
}
