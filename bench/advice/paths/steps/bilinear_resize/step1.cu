// Bilinear resize of a packed RGB image: one thread per output pixel.
extern "C" __global__ void bilinear_resize(const unsigned char *in, unsigned char *out, int in_width,
                                           int in_height, int out_width, int out_height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out_width || y >= out_height)
        return;
    float fx = __fdividef(x * (float)(in_width - 1), out_width - 1);
    float fy = __fdividef(y * (float)(in_height - 1), out_height - 1);
    int x0 = (int)fx;
    int y0 = (int)fy;
    int x1 = min(x0 + 1, in_width - 1);
    int y1 = min(y0 + 1, in_height - 1);
    float wx = fx - x0;
    float wy = fy - y0;
    for (int c = 0; c < 3; c++) {
        float top = in[(y0 * in_width + x0) * 3 + c] * (1.0f - wx) + in[(y0 * in_width + x1) * 3 + c] * wx;
        float bottom = in[(y1 * in_width + x0) * 3 + c] * (1.0f - wx) + in[(y1 * in_width + x1) * 3 + c] * wx;
        out[(y * out_width + x) * 3 + c] = (unsigned char)(top * (1.0f - wy) + bottom * wy + 0.5f);
    }
}
