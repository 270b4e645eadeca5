// Monte Carlo estimate of pi: grid-stride loop; each block adds its count with one atomic.
__device__ unsigned hash(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

extern "C" __global__ void monte_carlo_pi(unsigned *inside, unsigned n, unsigned seed) {
    __shared__ unsigned partial[32];
    unsigned count = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = (hash(seed + 2 * i) >> 8) * (1.0f / 16777216.0f);
        float y = (hash(seed + 2 * i + 1) >> 8) * (1.0f / 16777216.0f);
        if (x * x + y * y < 1.0f)
            count++;
    }
    count = __reduce_add_sync(0xffffffffu, count);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = count;
    __syncthreads();
    if (threadIdx.x < 32) {
        unsigned sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
        sum = __reduce_add_sync(0xffffffffu, sum);
        if (threadIdx.x == 0)
            atomicAdd(inside, sum);
    }
}
