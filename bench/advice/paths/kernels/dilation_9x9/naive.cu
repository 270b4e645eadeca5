// Grey-scale dilation: every pixel becomes the largest of the square around it. One thread per pixel; pixels outside
// the image are left out.
extern "C" __global__ void dilation(const unsigned char *in, unsigned char *out, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    int largest = 0;
    for (int dy = -radius; dy <= radius; dy++) {
        for (int dx = -radius; dx <= radius; dx++) {
            int xx = x + dx, yy = y + dy;
            if (xx >= 0 && xx < width && yy >= 0 && yy < height) {
                int value = in[yy * width + xx];
                if (value > largest)
                    largest = value;
            }
        }
    }
    out[y * width + x] = largest;
}
