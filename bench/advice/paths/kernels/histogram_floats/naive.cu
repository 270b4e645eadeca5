// Histogram of floats between lo and hi: one thread per value.
extern "C" __global__ void histogram_floats(const float *values, int *bins, int n, int num_bins,
                                            float lo, float hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bin = (int)((values[i] - lo) / (hi - lo) * num_bins);
        if (bin >= 0 && bin < num_bins)
            atomicAdd(&bins[bin], 1);
    }
}
