// Best-improvement 2-opt: looks at all pairs of tour edges (i,i+1), (j,j+1), i+1 < j, and
// finds the exchange that shortens the tour most. Points are stored in tour order.
// Result: gain (float bits) in the high word, i and j (16 bits each) in the low word.

typedef unsigned long long u64;

static __device__ __forceinline__ float dist(float2 a, float2 b)
{
    float dx = a.x - b.x, dy = a.y - b.y;
    return sqrtf(dx * dx + dy * dy);
}

static __device__ __forceinline__ u64 warp_max(u64 v)
{
    for (int o = 16; o > 0; o >>= 1) {
        u64 w = __shfl_down_sync(0xffffffffu, v, o);
        v = w > v ? w : v;
    }
    return v;
}

extern "C" __global__ void tsp_2opt_best(const float2 *__restrict__ pts, int n,
                                         u64 *__restrict__ best)    // zeroed
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float best_gain = 0.0f;
    int best_j = -1;
    if (i < n - 2) {
        float2 a = pts[i], b = pts[i + 1];
        float d_ab = dist(a, b);

        // the closing edge (n-1, 0) shares a point with edge 0
        int j_end = i == 0 ? n - 1 : n;
        float2 c = pts[i + 2];
        for (int j = i + 2; j < j_end; ++j) {
            float2 d = pts[j + 1 == n ? 0 : j + 1];
            float gain = d_ab + dist(c, d) - dist(a, c) - dist(b, d);
            if (gain > best_gain) {
                best_gain = gain;
                best_j = j;
            }
            c = d;
        }
    }

    u64 key = 0;
    if (best_j >= 0)
        key = ((u64)__float_as_uint(best_gain) << 32) | ((u64)i << 16) | (u64)best_j;
    key = warp_max(key);
    if ((threadIdx.x & 31) == 0 && key != 0)
        atomicMax(best, key);
}
