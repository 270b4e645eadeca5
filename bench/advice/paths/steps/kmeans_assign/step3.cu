// The nearest centroid of every point: 16 adjacent lanes share four rows, one float4 each,
// so that four lanes hold a point and add their parts of each distance up.
#include <float.h>

#define DIMS 16
#define MAX_K 64

extern "C" __global__ void kmeans_assign(const float *points, const float *centroids, int *assignment,
                                         int n, int k, int dims) {
    __shared__ __align__(16) float cent[MAX_K * DIMS];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (dims == DIMS && k <= MAX_K) {
        for (int j = threadIdx.x; j < k * DIMS; j += blockDim.x)
            cent[j] = centroids[j];
        __syncthreads();
        int i = t / 4;
        int part = t % 4;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (i < n)
            v = reinterpret_cast<const float4 *>(points)[t];
        float best = FLT_MAX;
        int best_c = 0;
        for (int c = 0; c < k; c++) {
            float4 w = *reinterpret_cast<const float4 *>(&cent[c * DIMS + part * 4]);
            float dist = 0.0f;
            float a = v.x - w.x;
            dist += a * a;
            a = v.y - w.y;
            dist += a * a;
            a = v.z - w.z;
            dist += a * a;
            a = v.w - w.w;
            dist += a * a;
            dist += __shfl_xor_sync(0xffffffffu, dist, 1);
            dist += __shfl_xor_sync(0xffffffffu, dist, 2);
            if (dist < best) {
                best = dist;
                best_c = c;
            }
        }
        if (i < n && part == 0)
            assignment[i] = best_c;
        return;
    }
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
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
