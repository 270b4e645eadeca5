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

extern "C" __global__ void avgpool_same(const float *__restrict__ in,
                                        float *__restrict__ out,
                                        int H, int W, int radius, float strength)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;

    const size_t plane = (size_t)blockIdx.z * H * W;
    const float *src = in + plane;

    const Window w = clip_window(y, x, H, W, radius);
    float sum = 0.f;
    for (int yy = w.y0; yy <= w.y1; ++yy) {
        const float *row = src + (size_t)yy * W;
        for (int xx = w.x0; xx <= w.x1; ++xx)
            sum += row[xx];
    }
    const int count = (w.y1 - w.y0 + 1) * (w.x1 - w.x0 + 1);
    const size_t o = (size_t)y * W + x;
    out[plane + o] = src[o] - strength * sum / (float)count;
}
