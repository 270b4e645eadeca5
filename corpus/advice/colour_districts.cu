// Draws a statistical map: each pixel has the number of its district, whose value falls into one of
// eight classes with a colour each. Pixels whose right or lower neighbour is in another district
// are darkened, which makes the borders.

struct Legend {
  float breaks[7];  // upper limits of all classes but the last
  unsigned short shade;  // of borders, in 1/256
  unsigned short unused;
};

__device__ __forceinline__ unsigned darkened(unsigned colour, unsigned shade) {
  unsigned even = ((colour & 0x00ff00ffu) * shade >> 8) & 0x00ff00ffu;
  unsigned odd = (colour >> 8 & 0x00ff00ffu) * shade & 0xff00ff00u;
  return even | odd;
}

__global__ void colour_districts(const int* __restrict__ districts,
                                 const float* __restrict__ values,
                                 const unsigned* __restrict__ colours,
                                 unsigned* __restrict__ picture, int width, int height,
                                 Legend legend) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int place = y * width + x;
  int district = districts[place];
  int right = x + 1 < width ? districts[place + 1] : district;
  int below = y + 1 < height ? districts[place + width] : district;

  float value = values[district];
  int level = 0;
#pragma unroll
  for (int k = 0; k < 7; ++k) level += value >= legend.breaks[k];
  unsigned colour = colours[level];
  if (right != district || below != district) colour = darkened(colour, legend.shade);
  picture[place] = colour;
}
