// Grey-scale dilation: every pixel becomes the largest of the square around it. One thread per 4 adjacent pixels of a
// row; pixels outside the image are left out.
extern "C" __global__ void dilation(const unsigned char *in, unsigned char *out, int width, int height, int radius) {
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    int largest[4] = {0, 0, 0, 0};
    for (int dy = -radius; dy <= radius; dy++) {
        int yy = y + dy;
        if (yy < 0 || yy >= height)
            continue;
        for (int dx = -radius; dx <= radius; dx++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int xx = x + e + dx;
                if (xx >= 0 && xx < width) {
                    int value = in[yy * width + xx];
                    if (value > largest[e])
                        largest[e] = value;
                }
            }
        }
    }
    size_t first = (size_t)y * width + x;
    if (x + 3 < width && first % 4 == 0) {
        *reinterpret_cast<unsigned *>(out + first) = largest[0] | largest[1] << 8 | largest[2] << 16 | largest[3] << 24;
    } else {
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (x + e < width)
                out[first + e] = largest[e];
    }
}
