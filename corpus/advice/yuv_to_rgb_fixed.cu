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

  const unsigned* luma_words = reinterpret_cast<const unsigned*>(luma);
  unsigned* rgb_words = reinterpret_cast<unsigned*>(rgb);
  unsigned colours = reinterpret_cast<const unsigned*>(chroma)[(y / 2 * width + x) / 4];
  unsigned lights[2];
  lights[0] = luma_words[(y * width + x) / 4];
  lights[1] = luma_words[((y + 1) * width + x) / 4];
  unsigned words[2][3] = {};

#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    int u = static_cast<int>(colours >> 16 * pair & 255) - 128;
    int v = static_cast<int>(colours >> 16 * pair + 8 & 255) - 128;
    int red = 359 * v;
    int green = -88 * u - 183 * v;
    int blue = 454 * u;

#pragma unroll
    for (int row = 0; row < 2; ++row) {
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        int place = 2 * pair + column;
        int light = (lights[row] >> 8 * place & 255) << 8;
        words[row][3 * place / 4] |= clamped(light + red) << 8 * (3 * place % 4);
        words[row][(3 * place + 1) / 4] |= clamped(light + green) << 8 * ((3 * place + 1) % 4);
        words[row][(3 * place + 2) / 4] |= clamped(light + blue) << 8 * ((3 * place + 2) % 4);
      }
    }
  }
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    unsigned* line = rgb_words + ((y + row) * width + x) / 4 * 3;
    line[0] = words[row][0];
    line[1] = words[row][1];
    line[2] = words[row][2];
  }
}
