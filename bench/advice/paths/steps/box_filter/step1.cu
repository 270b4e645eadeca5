// Box blur: the mean of the pixels around each pixel, fewer of them at the border. One thread per tile of 4 x 4 pixels.
extern "C" __global__ void box_filter(const float *in, float *out, int width, int height, int radius) {
    int x0 = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int y0 = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (x0 >= width || y0 >= height)
        return;

    if (width % 4 == 0) {
        float sum[4][4];
#pragma unroll
        for (int s = 0; s < 4; s++)
#pragma unroll
            for (int r = 0; r < 4; r++)
                sum[s][r] = 0.0f;

        // The first aligned group of 4 elements that has an element of the window (x0 is a multiple of 4).
        int first = x0 - (radius + 3) / 4 * 4;
        for (int yy = y0 - radius; yy <= y0 + 3 + radius; yy++) {
            const float *row = in + min(max(yy, 0), height - 1) * width;
            bool inside_y = yy >= 0 && yy < height;
            for (int xb = first; xb <= x0 + 3 + radius; xb += 4) {
                float4 v4 = *(const float4 *)(row + min(max(xb, 0), width - 4));
                bool inside = inside_y && xb >= 0 && xb < width;
                float v[4] = {v4.x, v4.y, v4.z, v4.w};
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    float value = inside ? v[e] : 0.0f;
#pragma unroll
                    for (int r = 0; r < 4; r++) {
                        int dx = xb + e - (x0 + r);
                        float needed = dx >= -radius && dx <= radius ? value : 0.0f;
#pragma unroll
                        for (int s = 0; s < 4; s++) {
                            int dy = yy - (y0 + s);
                            sum[s][r] = dy >= -radius && dy <= radius ? sum[s][r] + needed : sum[s][r];
                        }
                    }
                }
            }
        }

#pragma unroll
        for (int s = 0; s < 4; s++) {
            int y = y0 + s;
            if (y < height) {
                int rows = min(y + radius, height - 1) - max(y - radius, 0) + 1;
                float result[4];
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    int x = x0 + r;
                    int columns = min(x + radius, width - 1) - max(x - radius, 0) + 1;
                    result[r] = sum[s][r] / (rows * columns);
                }
                *(float4 *)(out + y * width + x0) = make_float4(result[0], result[1], result[2], result[3]);
            }
        }
        return;
    }

    // Rows that float4 accesses do not fit.
    for (int y = y0; y < min(y0 + 4, height); y++) {
        for (int x = x0; x < min(x0 + 4, width); x++) {
            float sum = 0.0f;
            int count = 0;
            for (int dy = -radius; dy <= radius; dy++) {
                for (int dx = -radius; dx <= radius; dx++) {
                    int xx = x + dx;
                    int yy = y + dy;
                    if (xx >= 0 && xx < width && yy >= 0 && yy < height) {
                        sum += in[yy * width + xx];
                        count++;
                    }
                }
            }
            out[y * width + x] = sum / count;
        }
    }
}
