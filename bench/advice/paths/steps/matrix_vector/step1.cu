// y = A · x for a row-major matrix (cols a multiple of 4): one warp per row.
extern "C" __global__ void matrix_vector(const float *a, const float *x, float *y, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < rows) {
        const float4 *a4 = reinterpret_cast<const float4 *>(a + (size_t)row * cols);
        const float4 *x4 = reinterpret_cast<const float4 *>(x);
        float sum = 0.0f;
        for (int j = lane; j < cols / 4; j += 32) {
            float4 av = a4[j];
            float4 xv = x4[j];
            sum += av.x * xv.x + av.y * xv.y + av.z * xv.z + av.w * xv.w;
        }
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (lane == 0)
            y[row] = sum;
    }
}
