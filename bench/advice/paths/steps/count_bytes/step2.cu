// Counts the bytes that are equal to a value: a grid-stride loop over groups of 16 bytes, one atomic per block.
static __device__ __forceinline__ unsigned int matches_in(unsigned int word, int value) {
    return ((int)(word & 255) == value) + ((int)((word >> 8) & 255) == value) +
           ((int)((word >> 16) & 255) == value) + ((int)(word >> 24) == value);
}

extern "C" __global__ void count_bytes(const unsigned char *text, int n, int value, unsigned int *count) {
    __shared__ unsigned int sums[32];
    unsigned int matches = 0;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    int groups = n / 16;
    const uint4 *p = reinterpret_cast<const uint4 *>(text);
    for (int i = first; i < groups; i += stride) {
        uint4 v = p[i];
        matches += matches_in(v.x, value) + matches_in(v.y, value) + matches_in(v.z, value) + matches_in(v.w, value);
    }
    for (int i = groups * 16 + first; i < n; i += stride)
        matches += text[i] == value;

    matches = __reduce_add_sync(0xffffffffu, matches);
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    if (lane == 0)
        sums[warp] = matches;
    __syncthreads();
    if (warp == 0) {
        matches = lane < blockDim.x / 32 ? sums[lane] : 0;
        matches = __reduce_add_sync(0xffffffffu, matches);
        if (lane == 0)
            atomicAdd(count, matches);
    }
}
