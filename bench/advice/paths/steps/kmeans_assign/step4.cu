// The nearest centroid of every point: 4 points per thread, their coordinates in registers, the centroids in shared
// memory. The points are loaded through shared memory, so that adjacent threads load adjacent memory.
#include <float.h>

#define DIMS 16
#define WIDE (DIMS / 4)
#define MAX_K 64
#define RESULTS 4
#define THREADS 256

extern "C" __global__ void kmeans_assign(const float *points, const float *centroids, int *assignment,
                                         int n, int k, int dims) {
    __shared__ float4 centres[MAX_K * WIDE];
    __shared__ float4 tile[THREADS][WIDE + 1];  // padded: no bank conflicts
    for (int c = threadIdx.x; c < k * WIDE; c += THREADS)
        centres[c] = reinterpret_cast<const float4 *>(centroids)[c];

    // Thread t has the points t, t + 256, t + 512 and t + 768 of the block's 1024.
    int first = blockIdx.x * (THREADS * RESULTS);
    float4 point[RESULTS][WIDE];
    float best[RESULTS];
    int best_c[RESULTS];
#pragma unroll
    for (int r = 0; r < RESULTS; r++) {
        if (r > 0)
            __syncthreads();
        int row = first + r * THREADS;
#pragma unroll
        for (int j = 0; j < WIDE; j++) {
            int e = j * THREADS + threadIdx.x;
            if (row + e / WIDE < n)
                tile[e / WIDE][e % WIDE] = reinterpret_cast<const float4 *>(points)[row * WIDE + e];
        }
        __syncthreads();
        if (row + (int)threadIdx.x < n) {
#pragma unroll
            for (int d = 0; d < WIDE; d++)
                point[r][d] = tile[threadIdx.x][d];
        } else {
#pragma unroll
            for (int d = 0; d < WIDE; d++)
                point[r][d] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
        best[r] = FLT_MAX;
        best_c[r] = 0;
    }
    for (int c = 0; c < k; c++) {
        float dist[RESULTS];
#pragma unroll
        for (int r = 0; r < RESULTS; r++)
            dist[r] = 0.0f;
#pragma unroll
        for (int d = 0; d < WIDE; d++) {
            float4 centre = centres[c * WIDE + d];
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
#pragma unroll
    for (int r = 0; r < RESULTS; r++) {
        int i = first + r * THREADS + threadIdx.x;
        if (i < n)
            assignment[i] = best_c[r];
    }
}
