// Convolution of an image with a 7 × 7 filter; pixels outside the image are 0.
// Each thread computes 4 × 4 results.
template <bool guarded>
__device__ __forceinline__ void tile(const float *image, const float *weights, float *out, int width,
                                     int height, int x0, int y0) {
    float sum[4][4] = {};
#pragma unroll
    for (int r = 0; r < 10; r++) {
        int yy = y0 + r - 3;
        float v[12]; // columns x0 - 4 to x0 + 7
        if (guarded) {
#pragma unroll
            for (int i = 0; i < 12; i++) {
                int xx = x0 - 4 + i;
                v[i] = xx >= 0 && xx < width && yy >= 0 && yy < height ? image[yy * width + xx] : 0.0f;
            }
        } else {
            const float4 *row = reinterpret_cast<const float4 *>(image + yy * width + x0 - 4);
#pragma unroll
            for (int i = 0; i < 3; i++) {
                float4 f = row[i];
                v[i * 4] = f.x;
                v[i * 4 + 1] = f.y;
                v[i * 4 + 2] = f.z;
                v[i * 4 + 3] = f.w;
            }
        }
#pragma unroll
        for (int o = 0; o < 4; o++) {
            int fy = r - o;
            if (fy < 0 || fy >= 7)
                continue;
#pragma unroll
            for (int fx = 0; fx < 7; fx++) {
                float w = weights[fy * 7 + fx];
#pragma unroll
                for (int i = 0; i < 4; i++)
                    sum[o][i] += v[i + fx + 1] * w;
            }
        }
    }
#pragma unroll
    for (int o = 0; o < 4; o++) {
        if (!guarded) {
            *reinterpret_cast<float4 *>(out + (y0 + o) * width + x0) =
                make_float4(sum[o][0], sum[o][1], sum[o][2], sum[o][3]);
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (x0 + i < width && y0 + o < height)
                    out[(y0 + o) * width + x0 + i] = sum[o][i];
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 4)
convolution_7x7(const float *image, const float *filter, float *out,
                int width, int height) {
    __shared__ float weights[49];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    if (t < 49)
        weights[t] = filter[t];
    __syncthreads();
    int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    if (x0 >= width || y0 >= height)
        return;
    if (x0 >= 4 && x0 + 8 <= width && y0 >= 3 && y0 + 7 <= height && width % 4 == 0)
        tile<false>(image, weights, out, width, height, x0, y0);
    else
        tile<true>(image, weights, out, width, height, x0, y0);
}
