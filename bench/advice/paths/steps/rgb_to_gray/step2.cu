// Packed RGB bytes to gray: four adjacent pixels of a row per thread (width a multiple of 4), blocks of 16 × 16
// threads; the block stages its packed bytes through shared memory so that adjacent threads load adjacent words.
static __device__ unsigned char gray_of(unsigned char r, unsigned char g, unsigned char b) {
    return (unsigned char)(0.299f * r + 0.587f * g + 0.114f * b);
}

extern "C" __global__ void rgb_to_gray(const unsigned char *rgb, unsigned char *gray, int width, int height) {
    __shared__ uchar4 tile[16 * 48]; // 16 rows of 64 pixels
    int tid = threadIdx.y * 16 + threadIdx.x;
    int x0 = blockIdx.x * 64;
    int y0 = blockIdx.y * 16;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        int word = tid + k * 256;
        int row = word / 48, col = word % 48;
        if (y0 + row < height && 3 * x0 + 4 * col < 3 * width)
            tile[word] = *reinterpret_cast<const uchar4 *>(rgb + 3 * ((y0 + row) * width + x0) + 4 * col);
    }
    __syncthreads();
    int x = x0 + 4 * threadIdx.x;
    int y = y0 + threadIdx.y;
    if (x < width && y < height) {
        uchar4 p = tile[3 * tid];     // r0 g0 b0 r1
        uchar4 q = tile[3 * tid + 1]; // g1 b1 r2 g2
        uchar4 s = tile[3 * tid + 2]; // b2 r3 g3 b3
        *reinterpret_cast<uchar4 *>(gray + y * width + x) =
            make_uchar4(gray_of(p.x, p.y, p.z), gray_of(p.w, q.x, q.y), gray_of(q.z, q.w, s.x), gray_of(s.y, s.z, s.w));
    }
}
