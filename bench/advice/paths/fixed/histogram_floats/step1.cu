// Histogram of floats between lo and hi: one thread per value.
extern "C" __global__ void histogram_floats(const float *values, int *bins, int n, int num_bins,
                                            float lo, float hi) {
    __shared__ int bins_block[64];
    for (unsigned k = threadIdx.x; k < 64; k += blockDim.x) bins_block[k] = 0;
    __syncthreads();
    // Does the work of 65536 blocks.
    for (unsigned b = blockIdx.x; b < 65536; b += gridDim.x) {
    const uint3 block_index = {b, 0, 0};
    int i = block_index.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bin = (int)((values[i] - lo) / (hi - lo) * num_bins);
        if (bin >= 0 && bin < num_bins)
            atomicAdd(&bins_block[bin], 1);
    }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < 64; k += blockDim.x) if (bins_block[k] != 0) atomicAdd(&bins[k], bins_block[k]);
}
