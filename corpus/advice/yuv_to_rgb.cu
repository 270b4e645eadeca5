// A picture in the video format NV12 (lightness of each pixel, colour of each two by two) as RGB:
// each thread makes a square of two by two blocks, four pixels in two rows each.

__device__ int clamped(int value) {
  return min(max(value >> 8, 0), 255);
}

__global__ void yuv_to_rgb(const unsigned char* __restrict__ luma,
                           const unsigned char* __restrict__ chroma,
                           unsigned char* __restrict__ rgb, int width, int height) {
  int groups = width / 4;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups * height / 2) return;
  int x = i % groups * 4;
  int y = i / groups * 2;

#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const unsigned char* colour = chroma + y / 2 * width + x + 2 * pair;
    int u = colour[0] - 128;
    int v = colour[1] - 128;
    int red = 359 * v;
    int green = -88 * u - 183 * v;
    int blue = 454 * u;

#pragma unroll
    for (int row = 0; row < 2; ++row) {
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        int pixel = (y + row) * width + x + 2 * pair + column;
        int light = luma[pixel] << 8;
        rgb[3 * pixel] = clamped(light + red);
        rgb[3 * pixel + 1] = clamped(light + green);
        rgb[3 * pixel + 2] = clamped(light + blue);
      }
    }
  }
}
