// Sobel edges of a grey image with one byte per pixel: four pixels per thread, black at the border of the image.
extern "C" __global__ void sobel_bytes(const unsigned char *in, unsigned char *out, int width, int height) {
    int x0 = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x0 >= width || y >= height)
        return;
    unsigned int word = 0;
    bool whole = x0 + 3 < width && width % 4 == 0;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        int x = x0 + e;
        unsigned char result = 0;
        if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
            int gx = -in[(y - 1) * width + x - 1] + in[(y - 1) * width + x + 1]
                     - 2 * in[y * width + x - 1] + 2 * in[y * width + x + 1]
                     - in[(y + 1) * width + x - 1] + in[(y + 1) * width + x + 1];
            int gy = -in[(y - 1) * width + x - 1] - 2 * in[(y - 1) * width + x] - in[(y - 1) * width + x + 1]
                     + in[(y + 1) * width + x - 1] + 2 * in[(y + 1) * width + x] + in[(y + 1) * width + x + 1];
            float magnitude = sqrtf((float)(gx * gx + gy * gy));
            if (magnitude > 255.0f)
                magnitude = 255.0f;
            result = (unsigned char)magnitude;
        }
        word |= (unsigned int)result << (8 * e);
    }
    if (whole) {
        *(unsigned int *)(out + y * width + x0) = word;
    } else {
        for (int e = 0; e < 4; e++)
            if (x0 + e < width)
                out[y * width + x0 + e] = (unsigned char)(word >> (8 * e));
    }
}
