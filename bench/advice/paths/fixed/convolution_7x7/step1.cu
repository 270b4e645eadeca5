// Convolution of an image with a 7 × 7 filter; pixels outside the image are 0.
extern "C" __global__ void convolution_7x7(const float *image, const float *filter, float *out,
                                           int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            int xx = x + dx;
            int yy = y + dy;
            if (xx >= 0 && xx < width && yy >= 0 && yy < height)
                sum += image[yy * width + xx] * filter[(dy + 3) * 7 + (dx + 3)];
        }
    }
    out[y * width + x] = sum;
}
