// Hand-written: a thread takes four columns (int4, two of them of the colour) and goes down eight rows, with the rows
// above and below in registers; the neighbours to the west and east come from the neighbouring lanes. The two chances
// that are below 1 are computed on the host. A site's neighbours are all of the other colour, which nobody changes; the
// int4 written back holds two of these unchanged.
#include <cuda_runtime.h>

#include <cmath>

namespace {
constexpr int kRows = 8;

__device__ __forceinline__ unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

// `sum` of the four neighbours. Flipping costs 4 · aligned − 8, where `aligned` neighbours are like the site.
__device__ __forceinline__ int updated(int here, int sum, unsigned site, unsigned seed, float chance_4, float chance_8) {
  const int aligned = here ? sum : 4 - sum;
  const float chance = aligned <= 2 ? 2.0f : aligned == 3 ? chance_4 : chance_8;
  const float random = (float)(hash(site ^ seed) >> 8) * 0x1p-24f;
  return random < chance ? 1 - here : here;
}

__global__ void __launch_bounds__(128)
    update(int4 *spins, int quads, int height, int colour, float chance_4, float chance_8, unsigned seed) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int first = blockIdx.y * kRows;
  const int width = quads * 4;
  const int beyond = lane == 0 ? (x == 0 ? width - 1 : 4 * x - 1) : (x == quads - 1 ? 0 : 4 * x + 4);
  // All loads first, as the compiler must not move them across the stores. Row i + 1 is the thread's row i.
  int4 rows[kRows + 2];
  int outside[kRows];
#pragma unroll
  for (int i = 0; i < kRows + 2; ++i) {
    int y = first + i - 1;
    y = y < 0 ? height - 1 : y == height ? 0 : y;
    rows[i] = spins[(size_t)y * quads + x];
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    outside[i] = 0;
    if (lane == ((first + i ^ colour) & 1 ? 31 : 0))
      outside[i] = reinterpret_cast<const int *>(spins)[(size_t)(first + i) * width + beyond];
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int y = first + i;
    const int4 north = rows[i], here = rows[i + 1], south = rows[i + 2];
    // Even columns are of the colour: the element to the west of the quad counts; otherwise the one to the east.
    const bool even = ((y ^ colour) & 1) == 0;
    const unsigned site = y * width + 4 * x;
    int4 result = here;
    if (even) {
      int west = __shfl_up_sync(~0u, here.w, 1);
      if (lane == 0) west = outside[i];
      result.x = updated(here.x, west + here.y + north.x + south.x, site, seed, chance_4, chance_8);
      result.z = updated(here.z, here.y + here.w + north.z + south.z, site + 2, seed, chance_4, chance_8);
    } else {
      int east = __shfl_down_sync(~0u, here.x, 1);
      if (lane == 31) east = outside[i];
      result.y = updated(here.y, here.x + here.z + north.y + south.y, site + 1, seed, chance_4, chance_8);
      result.w = updated(here.w, here.z + east + north.w + south.w, site + 3, seed, chance_4, chance_8);
    }
    spins[(size_t)y * quads + x] = result;
  }
}
}  // namespace

// The width is a multiple of 512, the height of 8.
extern "C" void launch(void **arguments, cudaStream_t stream) {
  int4 *spins = *(int4 **)arguments[0];
  const int width = *(int *)arguments[1], height = *(int *)arguments[2], colour = *(int *)arguments[3];
  const float beta = *(float *)arguments[4];
  const unsigned seed = *(unsigned *)arguments[5];
  update<<<dim3(width / 512, height / kRows), 128, 0, stream>>>(spins, width / 4, height, colour, std::exp(-beta * 4),
                                                              std::exp(-beta * 8), seed);
}
