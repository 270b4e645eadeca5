// Histogram of floats between lo and hi: each block counts in shared memory, in a grid-stride loop.
#define MAX_BINS 64

__device__ __forceinline__ void count(int *local, float value, int num_bins, float lo, float hi) {
    int bin = (int)((value - lo) / (hi - lo) * num_bins);
    if (bin >= 0 && bin < num_bins)
        atomicAdd(&local[bin], 1);
}

extern "C" __global__ void histogram_floats(const float *values, int *bins, int n, int num_bins,
                                            float lo, float hi) {
    __shared__ int local[MAX_BINS];
    for (int b = threadIdx.x; b < num_bins; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    const float4 *values4 = reinterpret_cast<const float4 *>(values);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        float4 v = values4[i];
        count(local, v.x, num_bins, lo, hi);
        count(local, v.y, num_bins, lo, hi);
        count(local, v.z, num_bins, lo, hi);
        count(local, v.w, num_bins, lo, hi);
    }
    int rest = n / 4 * 4 + threadIdx.x;
    if (blockIdx.x == 0 && rest < n)
        count(local, values[rest], num_bins, lo, hi);
    __syncthreads();
    for (int b = threadIdx.x; b < num_bins; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}
