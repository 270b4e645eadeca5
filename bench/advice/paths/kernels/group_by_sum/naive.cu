// SELECT key, SUM(value), COUNT(*) … GROUP BY key: one thread per row.
extern "C" __global__ void group_by_sum(const int *keys, const float *values, float *sums, int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int key = keys[i];
        atomicAdd(&sums[key], values[i]);
        atomicAdd(&counts[key], 1);
    }
}
