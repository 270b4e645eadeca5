// Draws an RGBA picture over another one: one thread per pixel.
extern "C" __global__ void alpha_blend(const unsigned char *front, const unsigned char *back, unsigned char *out,
                                       int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int at = (y * width + x) * 4;
        int alpha = front[at + 3];
        uchar4 behind = *reinterpret_cast<const uchar4 *>(back + at);
        out[at] = (front[at] * alpha + behind.x * (255 - alpha) + 127) / 255;
        out[at + 1] = (front[at + 1] * alpha + behind.y * (255 - alpha) + 127) / 255;
        out[at + 2] = (front[at + 2] * alpha + behind.z * (255 - alpha) + 127) / 255;
        out[at + 3] = alpha + (behind.w * (255 - alpha) + 127) / 255;
    }
}
