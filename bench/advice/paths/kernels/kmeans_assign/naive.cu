// The nearest centroid of every point: one thread per point.
#include <float.h>

extern "C" __global__ void kmeans_assign(const float *points, const float *centroids, int *assignment,
                                         int n, int k, int dims) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
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
