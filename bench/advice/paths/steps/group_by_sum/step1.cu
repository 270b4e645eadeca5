// SELECT key, SUM(value), COUNT(*) … GROUP BY key: grid-stride loop, counts gathered per block in shared memory.
#define WORDS 1760
extern "C" __global__ void group_by_sum(const int *keys, const float *values, float *sums, int *counts, int n) {
    __shared__ int block_counts[WORDS];
    for (int w = threadIdx.x; w < WORDS; w += blockDim.x)
        block_counts[w] = 0;
    __syncthreads();
    int n4 = n / 4;
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n4; i += stride) {
        int4 key = reinterpret_cast<const int4 *>(keys)[i];
        float4 value = reinterpret_cast<const float4 *>(values)[i];
        atomicAdd(&sums[key.x], value.x);
        atomicAdd(&sums[key.y], value.y);
        atomicAdd(&sums[key.z], value.z);
        atomicAdd(&sums[key.w], value.w);
        atomicAdd(&block_counts[key.x], 1);
        atomicAdd(&block_counts[key.y], 1);
        atomicAdd(&block_counts[key.z], 1);
        atomicAdd(&block_counts[key.w], 1);
    }
    for (int i = 4 * n4 + first; i < n; i += stride) {
        int key = keys[i];
        atomicAdd(&sums[key], values[i]);
        atomicAdd(&block_counts[key], 1);
    }
    __syncthreads();
    for (int w = threadIdx.x; w < WORDS; w += blockDim.x)
        if (block_counts[w] != 0)
            atomicAdd(&counts[w], block_counts[w]);
}
