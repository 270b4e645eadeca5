// Max pooling with a 3 x 3 window, stride 2 and padding 1: one thread per output, z over images and channels.
extern "C" __global__ void max_pooling_3x3(const float *x, float *out, int planes, int height, int width) {
    int out_height = height / 2;
    int out_width = width / 2;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (plane >= planes || row >= out_height || col >= out_width)
        return;

    float best = -1e30f;
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            int in_row = row * 2 - 1 + dy;
            int in_col = col * 2 - 1 + dx;
            if (in_row >= 0 && in_row < height && in_col >= 0 && in_col < width) {
                float v = x[(plane * height + in_row) * width + in_col];
                if (v > best)
                    best = v;
            }
        }
    }
    out[(plane * out_height + row) * out_width + col] = best;
}
