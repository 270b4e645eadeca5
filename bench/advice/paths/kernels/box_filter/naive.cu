// Box blur: the mean of the pixels around each pixel, fewer of them at the border. One thread per pixel.
extern "C" __global__ void box_filter(const float *in, float *out, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    int count = 0;
    for (int dy = -radius; dy <= radius; dy++) {
        for (int dx = -radius; dx <= radius; dx++) {
            int xx = x + dx;
            int yy = y + dy;
            if (xx >= 0 && xx < width && yy >= 0 && yy < height) {
                sum += in[yy * width + xx];
                count++;
            }
        }
    }
    out[y * width + x] = sum / count;
}
