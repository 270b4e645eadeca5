// SELECT key, SUM(value), COUNT(*) … GROUP BY key: grid-stride loop, counts and sums gathered per block in shared memory.
#define WORDS 1760
#define BINS 2000
extern "C" __global__ void group_by_sum(const int *keys, const float *values, float *sums, int *counts, int n) {
    __shared__ int block_counts[WORDS];
    __shared__ float bins[BINS * 2];
    for (int w = threadIdx.x; w < WORDS; w += blockDim.x)
        block_counts[w] = 0;
    for (int w = threadIdx.x; w < BINS * 2; w += blockDim.x)
        bins[w] = 0.0f;
    __syncthreads();
    int n4 = n / 4;
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int copy = threadIdx.x % 32 % 2;
    for (int i = first; i < n4; i += stride) {
        int4 key = reinterpret_cast<const int4 *>(keys)[i];
        float4 value = reinterpret_cast<const float4 *>(values)[i];
        atomicAdd(&bins[key.x * 2 + copy], value.x);
        atomicAdd(&bins[key.y * 2 + copy], value.y);
        atomicAdd(&bins[key.z * 2 + copy], value.z);
        atomicAdd(&bins[key.w * 2 + copy], value.w);
        atomicAdd(&block_counts[key.x], 1);
        atomicAdd(&block_counts[key.y], 1);
        atomicAdd(&block_counts[key.z], 1);
        atomicAdd(&block_counts[key.w], 1);
    }
    for (int i = 4 * n4 + first; i < n; i += stride) {
        int key = keys[i];
        atomicAdd(&bins[key * 2 + copy], values[i]);
        atomicAdd(&block_counts[key], 1);
    }
    __syncthreads();
    for (int w = threadIdx.x; w < WORDS; w += blockDim.x)
        if (block_counts[w] != 0)
            atomicAdd(&counts[w], block_counts[w]);
    for (int w = threadIdx.x; w < BINS; w += blockDim.x) {
        float sum = bins[w * 2] + bins[w * 2 + 1];
        if (sum != 0.0f)
            atomicAdd(&sums[w], sum);
    }
}
