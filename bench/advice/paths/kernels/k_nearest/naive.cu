// The squared distances of each query's eight nearest points, in order, by brute force: one thread per query.
#define K 8

extern "C" __global__ void k_nearest(const float *queries, const float *points, float *out, int num_queries,
                                     int num_points) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= num_queries)
        return;
    float x = queries[3 * i];
    float y = queries[3 * i + 1];
    float z = queries[3 * i + 2];
    float best[K];
    for (int k = 0; k < K; k++)
        best[k] = 1e30f;
    for (int j = 0; j < num_points; j++) {
        float dx = points[3 * j] - x;
        float dy = points[3 * j + 1] - y;
        float dz = points[3 * j + 2] - z;
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
    for (int k = 0; k < K; k++)
        out[i * K + k] = best[k];
}
