// The nearest centroid of every point: one thread per point, its row in registers.
#include <float.h>

#define DIMS 16

extern "C" __global__ void kmeans_assign(const float *points, const float *centroids, int *assignment,
                                         int n, int k, int dims) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = FLT_MAX;
    int best_c = 0;
    if (dims == DIMS) {
        float row[DIMS];
        const float4 *p = reinterpret_cast<const float4 *>(points + i * DIMS);
#pragma unroll
        for (int d = 0; d < DIMS / 4; d++) {
            float4 v = p[d];
            row[4 * d] = v.x;
            row[4 * d + 1] = v.y;
            row[4 * d + 2] = v.z;
            row[4 * d + 3] = v.w;
        }
        for (int c = 0; c < k; c++) {
            float dist = 0.0f;
#pragma unroll
            for (int d = 0; d < DIMS; d++) {
                float diff = row[d] - centroids[c * DIMS + d];
                dist += diff * diff;
            }
            if (dist < best) {
                best = dist;
                best_c = c;
            }
        }
    } else {
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
    }
    assignment[i] = best_c;
}
