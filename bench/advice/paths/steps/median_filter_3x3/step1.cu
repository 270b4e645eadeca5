// Median filter with a window of 3 x 3 on an 8-bit image: one thread per four adjacent pixels sorts their nine values.
// Pixels outside the image are those of the border.
extern "C" __global__ void median_filter_3x3(const unsigned char *in, unsigned char *out, int width, int height) {
    int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x0 >= width || y >= height)
        return;
    unsigned packed = 0;
#pragma unroll
    for (int p = 0; p < 4; p++) {
        int x = x0 + p;
        unsigned char window[9];
        int count = 0;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int xx = min(max(x + dx, 0), width - 1);
                int yy = min(max(y + dy, 0), height - 1);
                window[count++] = in[yy * width + xx];
            }
        }
        // insertion sort
        for (int i = 1; i < 9; i++) {
            unsigned char value = window[i];
            int j = i - 1;
            while (j >= 0 && window[j] > value) {
                window[j + 1] = window[j];
                j--;
            }
            window[j + 1] = value;
        }
        packed |= (unsigned)window[4] << (8 * p);
    }
    if (width % 4 == 0) {
        *(unsigned *)(out + y * width + x0) = packed;
    } else {
        for (int p = 0; p < 4 && x0 + p < width; p++)
            out[y * width + x0 + p] = (unsigned char)(packed >> (8 * p));
    }
}
