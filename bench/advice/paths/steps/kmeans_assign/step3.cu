// The nearest centroid of every point: 8 adjacent lanes share a row of 4 adjacent points (16 float4); lane l takes the
// float4 l and l + 8 of it, which are a quarter of the coordinates of the points l / 4 and l / 4 + 2. The 4 lanes of
// a point add up their parts of a distance. The centroids are in shared memory.
#include <float.h>

#define DIMS 16
#define MAX_K 64

extern "C" __global__ void kmeans_assign(const float *points, const float *centroids, int *assignment,
                                         int n, int k, int dims) {
    __shared__ float4 centres[MAX_K * DIMS / 4];
    for (int c = threadIdx.x; c < k * DIMS / 4; c += blockDim.x)
        centres[c] = reinterpret_cast<const float4 *>(centroids)[c];
    __syncthreads();

    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int l = thread % 8, quarter = l % 4;
    int i0 = thread / 8 * 4 + l / 4, i1 = i0 + 2;  // the two points of this lane
    // All lanes stay for the shuffles: those past the end compute the last point again and store nothing.
    const float4 *wide = reinterpret_cast<const float4 *>(points);
    float4 p0 = wide[min(i0, n - 1) * (DIMS / 4) + quarter];
    float4 p1 = wide[min(i1, n - 1) * (DIMS / 4) + quarter];
    float best0 = FLT_MAX, best1 = FLT_MAX;
    int best_c0 = 0, best_c1 = 0;
    for (int c = 0; c < k; c++) {
        float4 centre = centres[c * (DIMS / 4) + quarter];
        float diff = p0.x - centre.x;
        float dist0 = diff * diff;
        diff = p0.y - centre.y;
        dist0 += diff * diff;
        diff = p0.z - centre.z;
        dist0 += diff * diff;
        diff = p0.w - centre.w;
        dist0 += diff * diff;
        diff = p1.x - centre.x;
        float dist1 = diff * diff;
        diff = p1.y - centre.y;
        dist1 += diff * diff;
        diff = p1.z - centre.z;
        dist1 += diff * diff;
        diff = p1.w - centre.w;
        dist1 += diff * diff;
        dist0 += __shfl_xor_sync(0xffffffff, dist0, 1);
        dist1 += __shfl_xor_sync(0xffffffff, dist1, 1);
        dist0 += __shfl_xor_sync(0xffffffff, dist0, 2);
        dist1 += __shfl_xor_sync(0xffffffff, dist1, 2);
        if (dist0 < best0) {
            best0 = dist0;
            best_c0 = c;
        }
        if (dist1 < best1) {
            best1 = dist1;
            best_c1 = c;
        }
    }
    if (quarter == 0) {
        if (i0 < n)
            assignment[i0] = best_c0;
        if (i1 < n)
            assignment[i1] = best_c1;
    }
}
