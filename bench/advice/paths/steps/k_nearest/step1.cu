// The squared distances of each query's eight nearest points, in order, by brute force: one thread per query; the block
// stages tiles of 128 points in shared memory. Blocks of 128 threads.
#define K 8
#define TILE 128

extern "C" __global__ void k_nearest(const float *queries, const float *points, float *out, int num_queries,
                                     int num_points) {
    __shared__ float tile[3 * TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
        for (int j = 0; j < count; j++) {
            float dx = tile[3 * j] - x;
            float dy = tile[3 * j + 1] - y;
            float dz = tile[3 * j + 2] - z;
            float d = dx * dx + dy * dy + dz * dz;
            if (d < best[K - 1]) {
                int k = K - 1;
                while (k > 0 && best[k - 1] > d) {
                    best[k] = best[k - 1];
                    k--;
                }
                best[k] = d;
            }
        }
        __syncthreads();
    }
    if (i < num_queries)
        for (int k = 0; k < K; k++)
            out[i * K + k] = best[k];
}
