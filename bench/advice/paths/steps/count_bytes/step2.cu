// Counts the bytes that are equal to a value: grid-stride loop over 16 bytes at a time, one atomic per block.
__device__ __forceinline__ unsigned int count4(unsigned int word, int value) {
    return ((word & 255) == value) + (((word >> 8) & 255) == value) + (((word >> 16) & 255) == value) +
           ((word >> 24) == value);
}

extern "C" __global__ void count_bytes(const unsigned char *text, int n, int value, unsigned int *count) {
    __shared__ unsigned int partial[32];
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    const uint4 *wide = reinterpret_cast<const uint4 *>(text);
    unsigned int found = 0;
    for (int i = thread; i < n / 16; i += threads) {
        uint4 t = wide[i];
        found += count4(t.x, value) + count4(t.y, value) + count4(t.z, value) + count4(t.w, value);
    }
    for (int i = n / 16 * 16 + thread; i < n; i += threads)
        found += text[i] == value;

    found = __reduce_add_sync(0xffffffff, found);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0)
        partial[warp] = found;
    __syncthreads();
    if (warp == 0) {
        found = lane < blockDim.x / 32 ? partial[lane] : 0;
        found = __reduce_add_sync(0xffffffff, found);
        if (lane == 0)
            atomicAdd(count, found);
    }
}
