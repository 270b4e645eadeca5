// Histogram of bytes with 256 bins: each block counts in shared memory, 16 bytes per thread and iteration.
__device__ __forceinline__ void count4(unsigned int *local, unsigned int word) {
    atomicAdd(&local[word & 255], 1);
    atomicAdd(&local[(word >> 8) & 255], 1);
    atomicAdd(&local[(word >> 16) & 255], 1);
    atomicAdd(&local[word >> 24], 1);
}

extern "C" __global__ void histogram_bytes(const unsigned char *data, unsigned int *bins, int n) {
    __shared__ unsigned int local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    const uint4 *wide = reinterpret_cast<const uint4 *>(data);
    for (int i = thread; i < n / 16; i += threads) {
        uint4 v = wide[i];
        count4(local, v.x);
        count4(local, v.y);
        count4(local, v.z);
        count4(local, v.w);
    }
    for (int i = n / 16 * 16 + thread; i < n; i += threads)
        atomicAdd(&local[data[i]], 1);
    __syncthreads();

    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}
