// y = W · x for a row-major matrix of signed bytes, summed in integers: one warp per row, 16 bytes per lane at a time;
// x is staged in shared memory, groups of 16 bytes 20 bytes apart. At most 16384 columns.
struct __align__(16) Bytes16 {
    signed char b[16];
};

extern "C" __global__ void int8_matrix_vector(const signed char *w, const signed char *x, int *y, int rows, int cols) {
    __shared__ __align__(4) signed char tile[16384 / 16 * 20];
    for (int i = threadIdx.x * 4; i + 3 < cols; i += blockDim.x * 4)
        *reinterpret_cast<char4 *>(tile + i / 16 * 20 + i % 16) = *reinterpret_cast<const char4 *>(x + i);
    for (int i = cols / 4 * 4 + threadIdx.x; i < cols; i += blockDim.x)
        tile[i / 16 * 20 + i % 16] = x[i];
    __syncthreads();
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < rows) {
        int sum = 0;
        if (cols % 16 == 0) {
            for (int j = lane * 16; j < cols; j += 32 * 16) {
                Bytes16 v = *reinterpret_cast<const Bytes16 *>(w + row * cols + j);
                for (int k = 0; k < 16; k++)
                    sum += v.b[k] * tile[j / 16 * 20 + k];
            }
        } else {
            for (int j = lane; j < cols; j += 32)
                sum += w[row * cols + j] * tile[j / 16 * 20 + j % 16];
        }
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d, 32);
        if (lane == 0)
            y[row] = sum;
    }
}
