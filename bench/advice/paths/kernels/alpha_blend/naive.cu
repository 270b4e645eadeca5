// Draws an RGBA picture over another one: one thread per pixel.
extern "C" __global__ void alpha_blend(const unsigned char *front, const unsigned char *back, unsigned char *out,
                                       int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int at = (y * width + x) * 4;
        int alpha = front[at + 3];
        for (int c = 0; c < 3; c++)
            out[at + c] = (front[at + c] * alpha + back[at + c] * (255 - alpha) + 127) / 255;
        out[at + 3] = alpha + (back[at + 3] * (255 - alpha) + 127) / 255;
    }
}
