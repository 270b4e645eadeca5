#include <cmath>
#include <cstddef>

namespace {
inline unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}
}  // namespace

extern "C" void expected(void** arguments) {
  int* spins = *(int**)arguments[0];
  const size_t width = *(int*)arguments[1], height = *(int*)arguments[2],
               colour = *(int*)arguments[3];
  const double beta = *(float*)arguments[4];
  const unsigned seed = *(unsigned*)arguments[5];
  double chances[9] = {};
  for (int energy = 0; energy <= 8; ++energy) chances[energy] = std::exp(-beta * energy);
#pragma omp parallel for
  for (size_t y = 0; y < height; ++y) {
    int* row = spins + y * width;
    const int* north = spins + (y + height - 1) % height * width;
    const int* south = spins + (y + 1) % height * width;
    for (size_t x = (y + colour) % 2; x < width; x += 2) {
      const int sum =
          row[x == 0 ? width - 1 : x - 1] + row[x + 1 == width ? 0 : x + 1] + north[x] + south[x];
      const int energy = 2 * (2 * row[x] - 1) * (2 * sum - 4);
      const double random = (hash((unsigned)(y * width + x) ^ seed) >> 8) * 0x1p-24;
      if (energy <= 0 || random < chances[energy]) row[x] = 1 - row[x];
    }
  }
}
