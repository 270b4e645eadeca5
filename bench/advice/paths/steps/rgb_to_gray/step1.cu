// Packed RGB bytes to gray: four adjacent pixels of a row per thread (width a multiple of 4).
static __device__ unsigned char gray_of(unsigned char r, unsigned char g, unsigned char b) {
    return (unsigned char)(0.299f * r + 0.587f * g + 0.114f * b);
}

extern "C" __global__ void rgb_to_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = y * width + x;
        const uchar4 *in = reinterpret_cast<const uchar4 *>(rgb + 3 * i);
        uchar4 p = in[0]; // r0 g0 b0 r1
        uchar4 q = in[1]; // g1 b1 r2 g2
        uchar4 s = in[2]; // b2 r3 g3 b3
        *reinterpret_cast<uchar4 *>(gray + i) =
            make_uchar4(gray_of(p.x, p.y, p.z), gray_of(p.w, q.x, q.y), gray_of(q.z, q.w, s.x), gray_of(s.y, s.z, s.w));
    }
}
