// Max pooling with a 3 x 3 window, stride 2 and padding 1: 4 x 2 outputs per thread, z over images and channels.
static __device__ void one_result(const float *x, float *out, int plane, int row, int col, int height, int width,
                                  int out_height, int out_width) {
    if (row >= out_height || col >= out_width)
        return;
    float best = -1e30f;
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            int in_row = row * 2 - 1 + dy;
            int in_col = col * 2 - 1 + dx;
            if (in_row >= 0 && in_row < height && in_col >= 0 && in_col < width) {
                float v = x[(plane * height + in_row) * width + in_col];
                if (v > best)
                    best = v;
            }
        }
    }
    out[(plane * out_height + row) * out_width + col] = best;
}

extern "C" __global__ void max_pooling_3x3(const float *x, float *out, int planes, int height, int width) {
    int out_height = height / 2;
    int out_width = width / 2;
    int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    int plane = blockIdx.z;
    if (plane >= planes || row >= out_height || col >= out_width)
        return;

    if (width % 4 != 0 || out_width % 4 != 0) {
        // rows that float4 cannot access: as before
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 4; c++)
                one_result(x, out, plane, row + r, col + c, height, width, out_height, out_width);
        return;
    }

    float best[2][4];
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 4; c++)
            best[r][c] = -1e30f;

    // input columns 2*col-1 … 2*col+7, input rows 2*row-1 … 2*row+3
#pragma unroll
    for (int dy = 0; dy < 5; dy++) {
        int in_row = row * 2 - 1 + dy;
        bool inside = in_row >= 0 && in_row < height;
        int clamped_row = min(max(in_row, 0), height - 1);
        const float *line = x + (plane * height + clamped_row) * width;
        float v[9];
        v[0] = line[max(col * 2 - 1, 0)];
        float4 a = *reinterpret_cast<const float4 *>(&line[col * 2]);
        float4 b = *reinterpret_cast<const float4 *>(&line[col * 2 + 4]);
        v[1] = a.x; v[2] = a.y; v[3] = a.z; v[4] = a.w;
        v[5] = b.x; v[6] = b.y; v[7] = b.z; v[8] = b.w;
        v[0] = col > 0 ? v[0] : -1e30f;
#pragma unroll
        for (int k = 0; k < 9; k++)
            v[k] = inside ? v[k] : -1e30f;
#pragma unroll
        for (int r = 0; r < 2; r++) {
            if (dy >= 2 * r && dy <= 2 * r + 2) {
#pragma unroll
                for (int c = 0; c < 4; c++) {
#pragma unroll
                    for (int dx = 0; dx < 3; dx++) {
                        if (v[2 * c + dx] > best[r][c])
                            best[r][c] = v[2 * c + dx];
                    }
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 2; r++)
        if (row + r < out_height)
            *reinterpret_cast<float4 *>(&out[(plane * out_height + row + r) * out_width + col]) =
                make_float4(best[r][0], best[r][1], best[r][2], best[r][3]);
}
