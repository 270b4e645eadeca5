// One step of a five-point stencil; the border is copied. Each thread computes 4 results along x in 2 rows,
// from a tile of 64 × 32 results and its halo in shared memory.
extern "C" __global__ void stencil_2d(const float *in, float *out, int width, int height) {
    __shared__ float4 tile[34][18]; // rows y0 - 1 … y0 + 32, columns x0 - 4 … x0 + 67
    int x0 = blockIdx.x * 64, y0 = blockIdx.y * 32;
    for (int t = threadIdx.y * 16 + threadIdx.x; t < 34 * 18; t += 256) {
        int r = t / 18, c = t % 18;
        int u = x0 - 4 + c * 4, v = y0 - 1 + r;
        if (u >= 0 && u < width && v >= 0 && v < height)
            tile[r][c] = *reinterpret_cast<const float4 *>(in + v * width + u);
    }
    __syncthreads();

    int x = x0 + threadIdx.x * 4;
    int y = y0 + threadIdx.y * 2;
    if (x >= width || y >= height)
        return;
    int i = y * width + x;
    int c = threadIdx.x + 1, r = threadIdx.y * 2 + 1;
    if (x > 0 && y > 0 && x + 4 < width && y + 2 < height) {
        float4 above = tile[r - 1][c];
        float4 a = tile[r][c];
        float4 b = tile[r + 1][c];
        float4 below = tile[r + 2][c];
        float a_left = tile[r][c - 1].w, a_right = tile[r][c + 1].x;
        float b_left = tile[r + 1][c - 1].w, b_right = tile[r + 1][c + 1].x;
        float4 p, q;
        p.x = 0.2f * (a.x + a_left + a.y + above.x + b.x);
        p.y = 0.2f * (a.y + a.x + a.z + above.y + b.y);
        p.z = 0.2f * (a.z + a.y + a.w + above.z + b.z);
        p.w = 0.2f * (a.w + a.z + a_right + above.w + b.w);
        q.x = 0.2f * (b.x + b_left + b.y + a.x + below.x);
        q.y = 0.2f * (b.y + b.x + b.z + a.y + below.y);
        q.z = 0.2f * (b.z + b.y + b.w + a.z + below.z);
        q.w = 0.2f * (b.w + b.z + b_right + a.w + below.w);
        *reinterpret_cast<float4 *>(out + i) = p;
        *reinterpret_cast<float4 *>(out + i + width) = q;
        return;
    }
    for (int v = y; v < y + 2 && v < height; v++)
        for (int u = x; u < x + 4 && u < width; u++) {
            int k = v * width + u;
            if (u == 0 || v == 0 || u == width - 1 || v == height - 1)
                out[k] = in[k];
            else
                out[k] = 0.2f * (in[k] + in[k - 1] + in[k + 1] + in[k - width] + in[k + width]);
        }
}
