// The squared distances of each query's eight nearest points, in order, by brute force: one warp per query, lane l takes
// points l, l + 32, …; the block stages tiles of 256 points in shared memory. Blocks of 256 threads.
#define K 8
#define TILE 256

extern "C" __global__ void k_nearest(const float *queries, const float *points, float *out, int num_queries,
                                     int num_points) {
    __shared__ float tile[3 * TILE];
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    float x = 0.0f, y = 0.0f, z = 0.0f;
    if (i < num_queries) {
        x = queries[3 * i];
        y = queries[3 * i + 1];
        z = queries[3 * i + 2];
    }
    float best[K];
    for (int k = 0; k < K; k++)
        best[k] = 1e30f;
    for (int start = 0; start < num_points; start += TILE) {
        int count = min(TILE, num_points - start);
        if (threadIdx.x < count) {
            int j = start + threadIdx.x;
            tile[3 * threadIdx.x] = points[3 * j];
            tile[3 * threadIdx.x + 1] = points[3 * j + 1];
            tile[3 * threadIdx.x + 2] = points[3 * j + 2];
        }
        __syncthreads();
        for (int j = lane; j < count; j += 32) {
            float dx = tile[3 * j] - x;
            float dy = tile[3 * j + 1] - y;
            float dz = tile[3 * j + 2] - z;
            float d = dx * dx + dy * dy + dz * dz;
            for (int k = K - 1; k > 0; k--)
                best[k] = fmaxf(best[k - 1], fminf(best[k], d));
            best[0] = fminf(best[0], d);
        }
        __syncthreads();
    }
    // Merge the sorted lists of the 32 lanes: K times the least of their heads.
    int head = 0;
    for (int k = 0; k < K; k++) {
        float mine = head < K ? best[head] : 1e30f;
        float least = mine;
        for (int offset = 16; offset > 0; offset /= 2)
            least = fminf(least, __shfl_xor_sync(0xffffffffu, least, offset));
        int winner = __ffs(__ballot_sync(0xffffffffu, mine == least)) - 1;
        if (lane == winner)
            head++;
        if (lane == 0 && i < num_queries)
            out[i * K + k] = least;
    }
}
