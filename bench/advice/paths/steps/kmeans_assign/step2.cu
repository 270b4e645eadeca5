// The nearest centroid of every point: one thread per 4 adjacent points, their coordinates in registers, the
// centroids in shared memory.
#include <float.h>

#define DIMS 16
#define MAX_K 64
#define RESULTS 4

extern "C" __global__ void kmeans_assign(const float *points, const float *centroids, int *assignment,
                                         int n, int k, int dims) {
    __shared__ float4 centres[MAX_K * DIMS / 4];
    for (int c = threadIdx.x; c < k * DIMS / 4; c += blockDim.x)
        centres[c] = reinterpret_cast<const float4 *>(centroids)[c];
    __syncthreads();

    int i = (blockIdx.x * blockDim.x + threadIdx.x) * RESULTS;
    if (i >= n)
        return;
    bool whole = i + RESULTS <= n;
    float4 point[RESULTS][DIMS / 4];
    float best[RESULTS];
    int best_c[RESULTS];
#pragma unroll
    for (int r = 0; r < RESULTS; r++) {
        int row = whole ? i + r : min(i + r, n - 1);
#pragma unroll
        for (int d = 0; d < DIMS / 4; d++)
            point[r][d] = reinterpret_cast<const float4 *>(points)[row * (DIMS / 4) + d];
        best[r] = FLT_MAX;
        best_c[r] = 0;
    }
    for (int c = 0; c < k; c++) {
        float dist[RESULTS];
#pragma unroll
        for (int r = 0; r < RESULTS; r++)
            dist[r] = 0.0f;
#pragma unroll
        for (int d = 0; d < DIMS / 4; d++) {
            float4 centre = centres[c * (DIMS / 4) + d];
#pragma unroll
            for (int r = 0; r < RESULTS; r++) {
                float4 p = point[r][d];
                float diff = p.x - centre.x;
                dist[r] += diff * diff;
                diff = p.y - centre.y;
                dist[r] += diff * diff;
                diff = p.z - centre.z;
                dist[r] += diff * diff;
                diff = p.w - centre.w;
                dist[r] += diff * diff;
            }
        }
#pragma unroll
        for (int r = 0; r < RESULTS; r++) {
            if (dist[r] < best[r]) {
                best[r] = dist[r];
                best_c[r] = c;
            }
        }
    }
    if (whole) {
        *reinterpret_cast<int4 *>(assignment + i) = make_int4(best_c[0], best_c[1], best_c[2], best_c[3]);
    } else {
#pragma unroll
        for (int r = 0; r < RESULTS; r++)
            if (i + r < n)
                assignment[i + r] = best_c[r];
    }
}
