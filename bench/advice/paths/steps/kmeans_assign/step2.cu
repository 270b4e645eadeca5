// The nearest centroid of every point: 4 adjacent points per thread, their coordinates in registers,
// the centroids in shared memory.
#include <float.h>

#define DIMS 16
#define RESULTS 4
#define MAX_WEIGHTS 1024

extern "C" __global__ void kmeans_assign(const float *points, const float *centroids, int *assignment,
                                         int n, int k, int dims) {
    __shared__ float weights[MAX_WEIGHTS];
    bool staged = dims == DIMS && k * DIMS <= MAX_WEIGHTS;
    if (staged)
        for (int w = threadIdx.x; w < k * DIMS; w += blockDim.x)
            weights[w] = centroids[w];
    __syncthreads();

    int i = (blockIdx.x * blockDim.x + threadIdx.x) * RESULTS;
    if (i >= n)
        return;
    if (staged && i + RESULTS <= n) {
        float point[RESULTS][DIMS];
        float best[RESULTS];
        int best_c[RESULTS];
#pragma unroll
        for (int r = 0; r < RESULTS; r++) {
            best[r] = FLT_MAX;
            best_c[r] = 0;
#pragma unroll
            for (int d = 0; d < DIMS; d += 4) {
                float4 p = *(const float4 *)(points + (i + r) * DIMS + d);
                point[r][d] = p.x;
                point[r][d + 1] = p.y;
                point[r][d + 2] = p.z;
                point[r][d + 3] = p.w;
            }
        }
        for (int c = 0; c < k; c++) {
            float dist[RESULTS];
#pragma unroll
            for (int r = 0; r < RESULTS; r++)
                dist[r] = 0.0f;
#pragma unroll
            for (int d = 0; d < DIMS; d++) {
                float w = weights[c * DIMS + d];
#pragma unroll
                for (int r = 0; r < RESULTS; r++) {
                    float diff = point[r][d] - w;
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
#pragma unroll
        for (int r = 0; r < RESULTS; r++)
            assignment[i + r] = best_c[r];
    } else {
        for (int r = 0; r < RESULTS && i + r < n; r++) {
            float best = FLT_MAX;
            int best_c = 0;
            for (int c = 0; c < k; c++) {
                float dist = 0.0f;
                for (int d = 0; d < dims; d++) {
                    float diff = points[(i + r) * dims + d] - centroids[c * dims + d];
                    dist += diff * diff;
                }
                if (dist < best) {
                    best = dist;
                    best_c = c;
                }
            }
            assignment[i + r] = best_c;
        }
    }
}
