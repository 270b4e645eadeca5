// The correlator of a radio interferometer: for every channel, each antenna's voltages times the complex
// conjugate of each other antenna's, summed over time. A block per channel, a thread per pair.

#define ANTENNAS 16
#define TIMES 64
#define THREADS (ANTENNAS * ANTENNAS)
#define EACH (ANTENNAS * TIMES / THREADS)

__global__ void __launch_bounds__(THREADS)
    correlate_antennas(const float2* __restrict__ voltages, float2* __restrict__ visibilities,
                       int times) {
  __shared__ float2 tile[TIMES][ANTENNAS];
  const int x = threadIdx.x, y = threadIdx.y;
  const int channel = blockIdx.x;
  const size_t stride = static_cast<size_t>(gridDim.x) * ANTENNAS;
  const float2* in = voltages + channel * ANTENNAS + x;
  float2 sum = make_float2(0, 0);

  float2 fetched[EACH];
#pragma unroll
  for (int k = 0; k < EACH; ++k) fetched[k] = in[(k * ANTENNAS + y) * stride];

  for (int first = 0; first < times; first += TIMES) {
#pragma unroll
    for (int k = 0; k < EACH; ++k) tile[k * ANTENNAS + y][x] = fetched[k];
    __syncthreads();

    if (first + TIMES < times) {
#pragma unroll
      for (int k = 0; k < EACH; ++k) fetched[k] = in[(first + TIMES + k * ANTENNAS + y) * stride];
    }
#pragma unroll 16
    for (int t = 0; t < TIMES; ++t) {
      float2 a = tile[t][y];
      float2 b = tile[t][x];
      sum.x += a.x * b.x + a.y * b.y;
      sum.y += a.y * b.x - a.x * b.y;
    }
    __syncthreads();
  }
  visibilities[(channel * ANTENNAS + y) * ANTENNAS + x] = sum;
}
