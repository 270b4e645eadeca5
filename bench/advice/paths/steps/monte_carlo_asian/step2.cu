// Monte Carlo value of an Asian call option: one thread simulates several paths of the price; each block adds its
// payoffs to the sum once.
__device__ unsigned int next_random(unsigned int *state) {
    unsigned int x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

extern "C" __global__ void monte_carlo_asian(float *sum, int paths, int steps, float price, float strike, float rate,
                                             float volatility, float years, unsigned int seed) {
    float mine = 0.0f;
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += gridDim.x * blockDim.x) {
        // Neighbouring paths need very different states.
        unsigned int state = seed + path;
        state = (state ^ 61) ^ (state >> 16);
        state *= 9;
        state = state ^ (state >> 4);
        state *= 0x27d4eb2d;
        state = state ^ (state >> 15);
        if (state == 0)
            state = 1;

        float dt = years / steps;
        float s = price;
        float total = 0.0f;
        for (int i = 0; i < steps; i++) {
            float u1 = ((next_random(&state) >> 8) + 1) / 16777216.0f;
            float u2 = (next_random(&state) >> 8) / 16777216.0f;
            float z = sqrtf(-2.0f * logf(u1)) * cosf(6.283185307f * u2);
            s *= expf((rate - 0.5f * volatility * volatility) * dt + volatility * sqrtf(dt) * z);
            total += s;
        }
        float payoff = total / steps - strike;
        if (payoff > 0.0f)
            mine += payoff * expf(-rate * years);
    }

    __shared__ float warps[32];
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < (blockDim.x + 31) / 32 ? warps[threadIdx.x] : 0.0f;
        for (int d = 16; d > 0; d /= 2)
            mine += __shfl_down_sync(0xffffffff, mine, d);
        if (threadIdx.x == 0)
            atomicAdd(sum, mine);
    }
}
