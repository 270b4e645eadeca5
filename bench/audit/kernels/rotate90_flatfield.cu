// Line-scan camera: apply per-column flat field correction and rotate the
// image 90 degrees clockwise in the same pass.
//   dst has height 'width' and width 'height'
//   dst(row = x, col = height-1-y) = (src(y, x) - dark[x]) * gain(x)

#define TILE 32
#define ROWS 8

__device__ __forceinline__ float correct(float v, float dark, float g)
{
    float c = (v - 0.05f * dark) * (0.5f + g);
    return fminf(fmaxf(c, 0.0f), 1.0f);
}

extern "C" __global__ void rotate90_flatfield(const float* __restrict__ src,
                                              const float* __restrict__ dark,
                                              const float* __restrict__ gain,
                                              float* __restrict__ dst,
                                              int width, int height)
{
    __shared__ float tile[TILE][TILE];

    const int bx = blockIdx.x * TILE;
    const int by = blockIdx.y * TILE;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;

    const int x = bx + tx;
    if (x < width) {
        const float d = dark[x];
        const float g = gain[x];
#pragma unroll
        for (int j = 0; j < TILE; j += ROWS) {
            int y = by + ty + j;
            if (y < height)
                tile[ty + j][tx] = correct(src[(size_t)y * width + x], d, g);
        }
    }
    __syncthreads();

    // write rows of the rotated image, tx runs along the old y axis
    const int ysrc = by + tx;
    if (ysrc >= height)
        return;
    const int col = height - 1 - ysrc;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS) {
        int row = bx + ty + j;
        if (row < width)
            dst[(size_t)row * height + col] = tile[tx][ty + j];
    }
}
