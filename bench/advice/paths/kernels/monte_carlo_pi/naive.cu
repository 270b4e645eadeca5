// Monte Carlo estimate of pi: one thread per random point counts it if it is in the quarter circle.
__device__ unsigned hash(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

extern "C" __global__ void monte_carlo_pi(unsigned *inside, unsigned n, unsigned seed) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = (hash(seed + 2 * i) >> 8) * (1.0f / 16777216.0f);
        float y = (hash(seed + 2 * i + 1) >> 8) * (1.0f / 16777216.0f);
        if (x * x + y * y < 1.0f)
            atomicAdd(inside, 1u);
    }
}
