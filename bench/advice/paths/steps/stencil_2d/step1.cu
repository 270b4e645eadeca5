// One step of a five-point stencil; the border is copied. 4 x 2 results per thread.
extern "C" __global__ void stencil_2d(const float *in, float *out, int width, int height) {
    int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    if (x0 >= 1 && y0 >= 1 && x0 + 4 < width && y0 + 2 < height && width % 4 == 0) {
        float sum[2][4];
        float row[4][12];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const float *p = in + (y0 - 1 + r) * width + x0;
#pragma unroll
            for (int q = 0; q < 3; q++) {
                if ((r == 0 || r == 3) && q != 1)
                    continue;
                float4 v = *(const float4 *)(p - 4 + 4 * q);
                row[r][4 * q] = v.x;
                row[r][4 * q + 1] = v.y;
                row[r][4 * q + 2] = v.z;
                row[r][4 * q + 3] = v.w;
            }
        }
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                sum[r][c] = row[r + 1][4 + c] + row[r + 1][3 + c] + row[r + 1][5 + c] + row[r][4 + c] + row[r + 2][4 + c];
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                out[(y0 + r) * width + x0 + c] = 0.2f * sum[r][c];
        return;
    }
    for (int y = y0; y < y0 + 2; y++) {
        for (int x = x0; x < x0 + 4; x++) {
            if (x >= width || y >= height)
                continue;
            int i = y * width + x;
            if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
                out[i] = in[i];
            } else {
                out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
            }
        }
    }
}
