// The nearest centroid of every point: four points per thread, their rows in registers,
// loaded with adjacent lanes on adjacent memory and staged through shared memory.
#include <float.h>

#define DIMS 16
#define POINTS 4
#define MAX_K 64
#define THREADS 256
#define STRIDE 20  // floats from row to row in shared memory: no bank conflicts with 16-byte accesses

extern "C" __global__ void kmeans_assign(const float *points, const float *centroids, int *assignment,
                                         int n, int k, int dims) {
    __shared__ __align__(16) float cent[MAX_K * DIMS];
    __shared__ __align__(16) float stage[THREADS * STRIDE];
    bool fits = dims == DIMS && k <= MAX_K;
    if (fits) {
        for (int j = threadIdx.x; j < k * DIMS; j += blockDim.x)
            cent[j] = centroids[j];
    }
    __syncthreads();

    int base = blockIdx.x * THREADS * POINTS;
    if (base >= n)
        return;
    if (fits && blockDim.x == THREADS) {
        float row[POINTS][DIMS];
#pragma unroll
        for (int r = 0; r < POINTS; r++) {
            const float4 *p = reinterpret_cast<const float4 *>(points + (base + r * THREADS) * DIMS);
            if (r > 0)
                __syncthreads();
#pragma unroll
            for (int j = 0; j < DIMS / 4; j++) {
                int e = j * THREADS + threadIdx.x;
                *reinterpret_cast<float4 *>(&stage[(e / 4) * STRIDE + (e % 4) * 4]) =
                    base + r * THREADS + e / 4 < n ? p[e] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            }
            __syncthreads();
#pragma unroll
            for (int d = 0; d < DIMS / 4; d++) {
                float4 v = *reinterpret_cast<const float4 *>(&stage[threadIdx.x * STRIDE + d * 4]);
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
#pragma unroll
        for (int r = 0; r < POINTS; r++)
            if (base + r * THREADS + threadIdx.x < n)
                assignment[base + r * THREADS + threadIdx.x] = best_c[r];
        return;
    }
    int end = base + THREADS * POINTS < n ? base + THREADS * POINTS : n;
    for (int i = base + threadIdx.x; i < end; i += blockDim.x) {
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
