// Half a sweep of the Ising model: the spins of one colour of a checkerboard turn, by chance. The
// other half is copied.

__global__ void spin_lattice(const int* __restrict__ spins, int* __restrict__ next, int width,
                             int height, int colour, unsigned seed) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;

  if ((x + y) % 2 == colour) {
    int left = x > 0 ? i - 1 : i + width - 1;
    int right = x + 1 < width ? i + 1 : i - width + 1;
    int up = y > 0 ? i - width : i + (height - 1) * width;
    int down = y + 1 < height ? i + width : i - (height - 1) * width;
    int sum = spins[left] + spins[right] + spins[up] + spins[down];

    unsigned word = seed ^ static_cast<unsigned>(i) * 0x9e3779b9u;
    for (int round = 0; round < 12; ++round) {
      word ^= word >> 16;
      word *= 0x7feb352du;
      word ^= word >> 15;
    }
    float chance = static_cast<float>(word >> 8) * (1.0f / 16777216.0f);

    int spin = spins[i];
    float field = static_cast<float>(2 * sum - 4) * static_cast<float>(2 * spin - 1);
    float weight = __expf(-0.44f * field);
    next[i] = chance < weight ? 1 - spin : spin;
  } else {
    next[i] = spins[i];
  }
}
