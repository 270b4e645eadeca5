// Edge-preserving bilateral filter on a single channel float image.
// The tile plus its apron is staged in shared memory, then every thread
// gathers (2*RADIUS+1)^2 neighbours.

#define RADIUS 4
#define BX 32
#define BY 8
#define TW (BX + 2 * RADIUS)
#define TH (BY + 2 * RADIUS)

__device__ __forceinline__ int clampi(int v, int lo, int hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

extern "C" __global__ void bilateral_filter(const float* __restrict__ src, float* __restrict__ dst,
                                            int width, int height,
                                            float sigma_space, float sigma_range)
{
    __shared__ float tile[TH][TW];

    const int x0 = blockIdx.x * BX - RADIUS;
    const int y0 = blockIdx.y * BY - RADIUS;
    const int tid = threadIdx.y * BX + threadIdx.x;

    // cooperative load, replicate the border
    for (int i = tid; i < TW * TH; i += BX * BY) {
        int ty = i / TW;
        int tx = i - ty * TW;
        int gx = clampi(x0 + tx, 0, width - 1);
        int gy = clampi(y0 + ty, 0, height - 1);
        tile[ty][tx] = src[gy * width + gx];
    }
    __syncthreads();

    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;
    if (x >= width || y >= height)
        return;

    const float centre = tile[threadIdx.y + RADIUS][threadIdx.x + RADIUS];
    const float ks = -1.0f / (2.0f * sigma_space * sigma_space);
    const float kr = -1.0f / (2.0f * sigma_range * sigma_range);

    float sum = 0.0f;
    float norm = 0.0f;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            float v = tile[threadIdx.y + RADIUS + dy][threadIdx.x + RADIUS + dx];
            float diff = v - centre;
            // spatial and range term share one exponential
            float w = expf(ks * (dx * dx + dy * dy) + kr * diff * diff);
            sum += w * v;
            norm += w;
        }
    }
    dst[y * width + x] = sum / norm;      // the centre tap has weight 1, norm is never 0
}
