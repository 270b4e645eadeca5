// Bilateral filter (smoothing that keeps edges) of a grey image: one thread per pixel. The neighbours' weights fall
// with their distance and with the difference of brightness. Pixels outside the image are those of the border.
extern "C" __global__ void bilateral_filter(const float *in, float *out, int width, int height, int radius,
                                            float sigma_space, float sigma_value) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float center = in[y * width + x];
    float sum = 0.0f, total = 0.0f;
    for (int dy = -radius; dy <= radius; dy++) {
        for (int dx = -radius; dx <= radius; dx++) {
            int xx = min(max(x + dx, 0), width - 1);
            int yy = min(max(y + dy, 0), height - 1);
            float value = in[yy * width + xx];
            float difference = value - center;
            float weight = expf(-(dx * dx + dy * dy) / (2.0f * sigma_space * sigma_space)) *
                           expf(-(difference * difference) / (2.0f * sigma_value * sigma_value));
            sum += weight * value;
            total += weight;
        }
    }
    out[y * width + x] = sum / total;
}
