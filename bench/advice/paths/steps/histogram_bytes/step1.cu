// Histogram of bytes with 256 bins: grid-stride loop, 16 bytes at a time; each block counts in shared memory.
extern "C" __global__ void histogram_bytes(const unsigned char *data, unsigned int *bins, int n) {
    __shared__ unsigned int local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    const uint4 *data16 = (const uint4 *)data;
    int n16 = n / 16;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n16; i += gridDim.x * blockDim.x) {
        uint4 d = data16[i];
        unsigned int words[4] = {d.x, d.y, d.z, d.w};
        for (int w = 0; w < 4; w++) {
            atomicAdd(&local[words[w] & 255], 1);
            atomicAdd(&local[(words[w] >> 8) & 255], 1);
            atomicAdd(&local[(words[w] >> 16) & 255], 1);
            atomicAdd(&local[words[w] >> 24], 1);
        }
    }
    for (int i = n16 * 16 + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1);

    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}
