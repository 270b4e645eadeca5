// Joint histogram of two grey pictures, 64 levels each: counts per block in shared memory, 16 pixels at a time.
__device__ void count4(int *bins, unsigned int a, unsigned int b) {
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int x = ((a >> (8 * k)) & 255) / 4;
        int y = ((b >> (8 * k)) & 255) / 4;
        atomicAdd(&bins[x * 64 + y], 1);
    }
}

extern "C" __global__ void joint_histogram(const unsigned char *first, const unsigned char *second, int *counts,
                                           int n) {
    __shared__ int bins[4096];
    for (int w = threadIdx.x; w < 4096; w += blockDim.x)
        bins[w] = 0;
    __syncthreads();
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    int n16 = n / 16;
    for (int i = start; i < n16; i += stride) {
        uint4 a = reinterpret_cast<const uint4 *>(first)[i];
        uint4 b = reinterpret_cast<const uint4 *>(second)[i];
        count4(bins, a.x, b.x);
        count4(bins, a.y, b.y);
        count4(bins, a.z, b.z);
        count4(bins, a.w, b.w);
    }
    if (start < n - n16 * 16) {
        int i = n16 * 16 + start;
        atomicAdd(&bins[first[i] / 4 * 64 + second[i] / 4], 1);
    }
    __syncthreads();
    for (int w = threadIdx.x; w < 4096; w += blockDim.x)
        atomicAdd(&counts[w], bins[w]);
}
