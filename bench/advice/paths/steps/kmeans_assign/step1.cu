// The nearest centroid of every point: one thread per point, its coordinates in registers.
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
        float point[DIMS];
#pragma unroll
        for (int d = 0; d < DIMS; d += 4) {
            float4 p = *(const float4 *)(points + i * DIMS + d);
            point[d] = p.x;
            point[d + 1] = p.y;
            point[d + 2] = p.z;
            point[d + 3] = p.w;
        }
        for (int c = 0; c < k; c++) {
            float dist = 0.0f;
#pragma unroll
            for (int d = 0; d < DIMS; d++) {
                float diff = point[d] - centroids[c * DIMS + d];
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
