// Histogram of bytes with 256 bins: a grid-stride loop over 16 bytes at a time, counted per block in shared memory.
// The counts are replicated: each lane has its own copy, in its own bank.
__device__ void count4(unsigned int (*counts)[32], int lane, unsigned int word) {
    atomicAdd(&counts[word & 0xff][lane], 1);
    atomicAdd(&counts[(word >> 8) & 0xff][lane], 1);
    atomicAdd(&counts[(word >> 16) & 0xff][lane], 1);
    atomicAdd(&counts[word >> 24][lane], 1);
}

extern "C" __global__ void histogram_bytes(const unsigned char *data, unsigned int *bins, int n) {
    __shared__ unsigned int counts[256][32];
    int lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < 256 * 32; i += blockDim.x)
        counts[i / 32][i % 32] = 0;
    __syncthreads();

    const uint4 *data16 = reinterpret_cast<const uint4 *>(data);
    int vectors = n / 16;
    int start = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int i = start; i < vectors; i += stride) {
        uint4 v = data16[i];
        count4(counts, lane, v.x);
        count4(counts, lane, v.y);
        count4(counts, lane, v.z);
        count4(counts, lane, v.w);
    }
    for (int i = vectors * 16 + start; i < n; i += stride)
        atomicAdd(&counts[data[i]][lane], 1);
    __syncthreads();

    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned int sum = 0;
        for (int copy = 0; copy < 32; copy++)
            sum += counts[i][(copy + lane) % 32];   // lanes start at different banks
        atomicAdd(&bins[i], sum);
    }
}
