// The nearest centroid of every point: four adjacent points per thread, their rows in registers.
#include <float.h>

#define DIMS 16
#define POINTS 4
#define MAX_K 64

extern "C" __global__ void kmeans_assign(const float *points, const float *centroids, int *assignment,
                                         int n, int k, int dims) {
    __shared__ __align__(16) float cent[MAX_K * DIMS];
    bool fits = dims == DIMS && k <= MAX_K;
    if (fits) {
        for (int j = threadIdx.x; j < k * DIMS; j += blockDim.x)
            cent[j] = centroids[j];
    }
    __syncthreads();

    int i0 = (blockIdx.x * blockDim.x + threadIdx.x) * POINTS;
    if (i0 >= n)
        return;
    if (fits && i0 + POINTS <= n) {
        float row[POINTS][DIMS];
        const float4 *p = reinterpret_cast<const float4 *>(points + i0 * DIMS);
#pragma unroll
        for (int r = 0; r < POINTS; r++) {
#pragma unroll
            for (int d = 0; d < DIMS / 4; d++) {
                float4 v = p[r * (DIMS / 4) + d];
                row[r][4 * d] = v.x;
                row[r][4 * d + 1] = v.y;
                row[r][4 * d + 2] = v.z;
                row[r][4 * d + 3] = v.w;
            }
        }
        float best[POINTS];
        int best_c[POINTS];
#pragma unroll
        for (int r = 0; r < POINTS; r++) {
            best[r] = FLT_MAX;
            best_c[r] = 0;
        }
        for (int c = 0; c < k; c++) {
            float dist[POINTS];
#pragma unroll
            for (int r = 0; r < POINTS; r++)
                dist[r] = 0.0f;
#pragma unroll
            for (int d = 0; d < DIMS; d += 4) {
                float4 v = *reinterpret_cast<const float4 *>(&cent[c * DIMS + d]);
#pragma unroll
                for (int r = 0; r < POINTS; r++) {
                    float a = row[r][d] - v.x;
                    dist[r] += a * a;
                    a = row[r][d + 1] - v.y;
                    dist[r] += a * a;
                    a = row[r][d + 2] - v.z;
                    dist[r] += a * a;
                    a = row[r][d + 3] - v.w;
                    dist[r] += a * a;
                }
            }
#pragma unroll
            for (int r = 0; r < POINTS; r++) {
                if (dist[r] < best[r]) {
                    best[r] = dist[r];
                    best_c[r] = c;
                }
            }
        }
        *reinterpret_cast<int4 *>(assignment + i0) = make_int4(best_c[0], best_c[1], best_c[2], best_c[3]);
        return;
    }
    for (int i = i0; i < i0 + POINTS && i < n; i++) {
        float best = FLT_MAX;
        int best_c = 0;
        for (int c = 0; c < k; c++) {
            float dist = 0.0f;
            for (int d = 0; d < dims; d++) {
                float diff = points[i * dims + d] - centroids[c * dims + d];
                dist += diff * diff;
            }
            if (dist < best) {
                best = dist;
                best_c = c;
            }
        }
        assignment[i] = best_c;
    }
}
