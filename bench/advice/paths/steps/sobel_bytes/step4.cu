// Sobel edges of a grey image with one byte per pixel: four pixels per thread, black at the border of the image.
extern "C" __global__ void sobel_bytes(const unsigned char *in, unsigned char *out, int width, int height) {
    int x0 = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x0 >= width || y >= height)
        return;

    if (width % 4 == 0) {
        // The pixels x0 - 1 to x0 + 4 of the rows y - 1 to y + 1; those outside the image are used by no result.
        int p[3][6];
#pragma unroll
        for (int r = 0; r < 3; r++) {
            const unsigned char *row = in + min(max(y - 1 + r, 0), height - 1) * width;
            uchar2 a = *(const uchar2 *)(row + x0);
            uchar2 b = *(const uchar2 *)(row + x0 + 2);
            p[r][0] = row[max(x0 - 1, 0)];
            p[r][1] = a.x;
            p[r][2] = a.y;
            p[r][3] = b.x;
            p[r][4] = b.y;
            p[r][5] = row[min(x0 + 4, width - 1)];
        }
        unsigned int word = 0;
#pragma unroll
        for (int e = 0; e < 4; e++) {
            int x = x0 + e;
            unsigned char result = 0;
            if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
                int gx = -p[0][e] + p[0][e + 2] - 2 * p[1][e] + 2 * p[1][e + 2] - p[2][e] + p[2][e + 2];
                int gy = -p[0][e] - 2 * p[0][e + 1] - p[0][e + 2] + p[2][e] + 2 * p[2][e + 1] + p[2][e + 2];
                float magnitude = sqrtf((float)(gx * gx + gy * gy));
                if (magnitude > 255.0f)
                    magnitude = 255.0f;
                result = (unsigned char)magnitude;
            }
            word |= (unsigned int)result << (8 * e);
        }
        *(unsigned int *)(out + y * width + x0) = word;
        return;
    }

    for (int x = x0; x < min(x0 + 4, width); x++) {
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
        out[y * width + x] = result;
    }
}
