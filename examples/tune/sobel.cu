// The strength of edges in an image of width × height floats, by Sobel's two filters. The kernel
// has no tunable parameter: one thread per pixel, whatever the shape of the blocks.
//
//   burin tune sobel.cu --kernel sobel --grid 64,512 --block 32,4 \
//     --arg buf:16M:f32 --arg buf:16M:f32 --arg i32:2048 --arg i32:2048
extern "C" __global__ void sobel(const float* __restrict__ in, float* __restrict__ out, int width,
                                 int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[y * width + x] = 0;
    return;
  }
  const float* above = in + (y - 1) * width + x;
  const float* here = above + width;
  const float* below = here + width;
  float across = above[1] - above[-1] + 2 * (here[1] - here[-1]) + below[1] - below[-1];
  float down = below[-1] - above[-1] + 2 * (below[0] - above[0]) + below[1] - above[1];
  out[y * width + x] = sqrtf(across * across + down * down);
}
