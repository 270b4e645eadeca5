// Iterations until z = z² + c leaves the circle of radius 2: one thread per pixel. Eight iterations at a
// time without a test; the group in which z leaves is repeated one by one.
extern "C" __global__ void mandelbrot(int *out, int width, int height, float x_min, float y_min,
                                      float x_max, float y_max, int max_iterations) {
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    float cx = x_min + (x_max - x_min) * px / width;
    float cy = y_min + (y_max - y_min) * py / height;
    float x = 0.0f, y = 0.0f;
    int n = 0;
    while (n + 8 <= max_iterations) {
        float kept_x = x, kept_y = y;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float t = x * x - y * y + cx;
            y = 2.0f * x * y + cy;
            x = t;
        }
        // Once outside, z stays outside (or becomes NaN), so this also sees an exit within the group.
        if (!(x * x + y * y <= 4.0f)) {
            x = kept_x;
            y = kept_y;
            break;
        }
        n += 8;
    }
    while (x * x + y * y <= 4.0f && n < max_iterations) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    out[py * width + px] = n;
}
