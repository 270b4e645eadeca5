// 0/1 knapsack by dynamic programming over the capacity, one instance per block.
// Writes the whole value curve (best value for every capacity 0..cap) of every instance.

static __device__ int item_weight(const int *w, int inst, int nitems, int i)
{
    return 1 + w[inst * nitems + i];
}

extern "C" __global__ void knapsack_batch(const int *__restrict__ weights,
                                          const int *__restrict__ values,
                                          int *__restrict__ curve,
                                          int nitems, int cap)
{
    extern __shared__ int dp[];         // two rows of cap + 1
    int *cur = dp;
    int *next = dp + cap + 1;

    int inst = blockIdx.x;
    int *out = curve + (size_t)inst * (cap + 1);

    for (int c = threadIdx.x; c <= cap; c += blockDim.x)
        cur[c] = 0;
    __syncthreads();

    for (int i = 0; i < nitems; ++i) {
        int w = item_weight(weights, inst, nitems, i);
        int v = values[inst * nitems + i];
        if (w > cap)
            continue;                   // never fits (same for the whole block)

        int c = threadIdx.x;
        const int bd = blockDim.x;
        for (; c + 3 * bd <= cap; c += 4 * bd) {
            int best[4], other[4];
#pragma unroll
            for (int u = 0; u < 4; ++u) {
                best[u] = cur[c + u * bd];
                other[u] = c + u * bd >= w ? cur[c + u * bd - w] + v : best[u];
            }
#pragma unroll
            for (int u = 0; u < 4; ++u)
                next[c + u * bd] = max(best[u], other[u]);
        }
        for (; c <= cap; c += bd) {
            int best = cur[c];
            if (c >= w)
                best = max(best, cur[c - w] + v);
            next[c] = best;
        }
        __syncthreads();

        // row i becomes the input of row i+1
        c = threadIdx.x;
        for (; c + 3 * bd <= cap; c += 4 * bd) {
            int t[4];
#pragma unroll
            for (int u = 0; u < 4; ++u) t[u] = next[c + u * bd];
#pragma unroll
            for (int u = 0; u < 4; ++u) cur[c + u * bd] = t[u];
        }
        for (; c <= cap; c += bd)
            cur[c] = next[c];
        __syncthreads();
    }

    for (int c = threadIdx.x; c <= cap; c += blockDim.x)
        out[c] = cur[c];
}
