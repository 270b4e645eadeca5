// Histogram of bytes with 256 bins: one thread per byte.
extern "C" __global__ void histogram_bytes(const unsigned char *data, unsigned int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[data[i]], 1);
}
