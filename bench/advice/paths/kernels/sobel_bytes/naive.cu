// Sobel edges of a grey image with one byte per pixel: one thread per pixel, black at the border of the image.
extern "C" __global__ void sobel_bytes(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[y * width + x] = 0;
        return;
    }
    int gx = -in[(y - 1) * width + x - 1] + in[(y - 1) * width + x + 1]
             - 2 * in[y * width + x - 1] + 2 * in[y * width + x + 1]
             - in[(y + 1) * width + x - 1] + in[(y + 1) * width + x + 1];
    int gy = -in[(y - 1) * width + x - 1] - 2 * in[(y - 1) * width + x] - in[(y - 1) * width + x + 1]
             + in[(y + 1) * width + x - 1] + 2 * in[(y + 1) * width + x] + in[(y + 1) * width + x + 1];
    float magnitude = sqrtf((float)(gx * gx + gy * gy));
    if (magnitude > 255.0f)
        magnitude = 255.0f;
    out[y * width + x] = (unsigned char)magnitude;
}
