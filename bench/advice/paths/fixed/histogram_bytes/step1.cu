// Histogram of bytes with 256 bins: one thread per byte.
extern "C" __global__ void histogram_bytes(const unsigned char *data, unsigned int *bins, int n) {
    __shared__ unsigned int bins_block[256];
    for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) bins_block[k] = 0;
    __syncthreads();
    // Does the work of 262144 blocks.
    #pragma unroll 4
    for (unsigned b = blockIdx.x; b < 262144; b += gridDim.x) {
    const uint3 block_index = {b, 0, 0};
    int i = block_index.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins_block[data[i]], 1);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) if (bins_block[k] != 0) atomicAdd(&bins[k], bins_block[k]);
}
