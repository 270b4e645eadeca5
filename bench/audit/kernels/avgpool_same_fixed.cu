// Average pooling, stride 1, "same" size, window (2*radius+1)^2, NCHW.
// Positions outside the image do not count (count_include_pad = false).
// Used as the local mean in a contrast-normalisation layer: out = x - mean(window).

struct Window {
    int y0, y1, x0, x1;
};

__device__ __forceinline__ Window clip_window(int y, int x, int H, int W, int radius)
{
    Window w;
    w.y0 = max(y - radius, 0);
    w.y1 = min(y + radius, H - 1);
    w.x0 = max(x - radius, 0);
    w.x1 = min(x + radius, W - 1);
    return w;
}

// the code for images whose rows are not a multiple of 4 elements, and for large windows
__device__ __forceinline__ void one(const float *src, float *dst, int y, int x, int H, int W,
                                    int radius, float strength)
{
    const Window w = clip_window(y, x, H, W, radius);
    float sum = 0.f;
    for (int yy = w.y0; yy <= w.y1; ++yy) {
        const float *row = src + (size_t)yy * W;
        for (int xx = w.x0; xx <= w.x1; ++xx)
            sum += row[xx];
    }
    const int count = (w.y1 - w.y0 + 1) * (w.x1 - w.x0 + 1);
    const size_t o = (size_t)y * W + x;
    dst[o] = src[o] - strength * sum / (float)count;
}

template <int R>
__device__ __forceinline__ void tile(const float *src, float *dst, int y0, int x0, int H, int W,
                                     float strength)
{
    constexpr int V = (R + 0) / 4;              // whole float4 on either side
    constexpr int S = R - 4 * V;                // single loads on either side
    float acc[4][4], mid[4][4];
#pragma unroll
    for (int a = 0; a < 4; ++a)
#pragma unroll
        for (int b = 0; b < 4; ++b) acc[a][b] = mid[a][b] = 0.f;

#pragma unroll
    for (int dy = -R; dy < 4 + R; ++dy) {
        const int yy = y0 + dy;
        const bool rowin = yy >= 0 && yy < H;
        const float *row = src + (size_t)min(max(yy, 0), H - 1) * W;
        float v[4 + 2 * R];
#pragma unroll
        for (int q = -V; q <= V; ++q) {
            const int xx = x0 + 4 * q;
            const bool in = rowin && xx >= 0 && xx < W;     // W is a multiple of 4
            const float4 f = *(const float4 *)(row + min(max(xx, 0), W - 4));
            v[R + 4 * q + 0] = in ? f.x : 0.f;
            v[R + 4 * q + 1] = in ? f.y : 0.f;
            v[R + 4 * q + 2] = in ? f.z : 0.f;
            v[R + 4 * q + 3] = in ? f.w : 0.f;
        }
#pragma unroll
        for (int q = 0; q < S; ++q) {
            int xx = x0 - R + q;
            float f = row[max(xx, 0)];
            v[q] = rowin && xx >= 0 ? f : 0.f;
            xx = x0 + 3 + R - q;
            f = row[min(xx, W - 1)];
            v[3 + 2 * R - q] = rowin && xx < W ? f : 0.f;
        }
        if (dy >= 0 && dy < 4) {
#pragma unroll
            for (int b = 0; b < 4; ++b) mid[dy][b] = v[R + b];
        }
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            float s = 0.f;
#pragma unroll
            for (int d = 0; d <= 2 * R; ++d) s += v[b + d];
#pragma unroll
            for (int a = 0; a < 4; ++a)
                if (dy >= a - R && dy <= a + R) acc[a][b] += s;
        }
    }
#pragma unroll
    for (int a = 0; a < 4; ++a) {
        const int y = y0 + a;
        if (y >= H) break;
        float o[4];
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            const Window w = clip_window(y, x0 + b, H, W, R);
            const int count = (w.y1 - w.y0 + 1) * (w.x1 - w.x0 + 1);
            o[b] = mid[a][b] - strength * acc[a][b] / (float)count;
        }
        *(float4 *)(dst + (size_t)y * W + x0) = make_float4(o[0], o[1], o[2], o[3]);
    }
}

extern "C" __global__ void avgpool_same(const float *__restrict__ in,
                                        float *__restrict__ out,
                                        int H, int W, int radius, float strength)
{
    const int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    if (x0 >= W || y0 >= H) return;

    const size_t plane = (size_t)blockIdx.z * H * W;
    const float *src = in + plane;
    float *dst = out + plane;

    if (W % 4 == 0) {
        switch (radius) {
        case 1: tile<1>(src, dst, y0, x0, H, W, strength); return;
        case 2: tile<2>(src, dst, y0, x0, H, W, strength); return;
        case 3: tile<3>(src, dst, y0, x0, H, W, strength); return;
        case 4: tile<4>(src, dst, y0, x0, H, W, strength); return;
        case 5: tile<5>(src, dst, y0, x0, H, W, strength); return;
        }
    }
    for (int y = y0; y < min(y0 + 4, H); ++y)
        for (int x = x0; x < min(x0 + 4, W); ++x)
            one(src, dst, y, x, H, W, radius, strength);
}
