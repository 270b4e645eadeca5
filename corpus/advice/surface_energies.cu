// Energies of a molecule of five atoms on a fitted potential surface: polynomials in the ten Morse
// variables of the distances, nested by Horner's rule, with their coefficients compiled in, as such
// fits are generated. The surface is a sum of four parts, one per order of the many-body expansion.
// A thread evaluates the geometries of a trajectory one after the other.

constexpr int kPairs = 10;
constexpr int kTerms = 1536;  // per part
constexpr int kUnrolled = 128;

__host__ __device__ constexpr unsigned mixed(unsigned x) {
  x = (x + 0x9e3779b9u) * 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}

// The coefficient of a term, known to the compiler.
__host__ __device__ constexpr float coefficient_of(int term) {
  return (static_cast<int>(mixed(term) % 20001u) - 10000) * 1e-4f;
}

template <int first, int end>
__device__ __forceinline__ void nest(const float (&y)[kPairs], float (&sums)[4]) {
#pragma unroll
  for (int term = first; term < first + kUnrolled; ++term) {
    sums[term % 4] = sums[term % 4] * y[mixed(term + 7777) % kPairs] + coefficient_of(term);
  }
  if constexpr (first + kUnrolled < end) nest<first + kUnrolled, end>(y, sums);
}

template <int part>
__device__ __forceinline__ float part_of(const float (&y)[kPairs]) {
  float sums[4] = {};
  nest<part * kTerms, (part + 1) * kTerms>(y, sums);
  return sums[0] + sums[1] + sums[2] + sums[3];
}

// Distances lie pair by pair, for all trajectories of a step.
__device__ __forceinline__ void load_variables(float (&y)[kPairs],
                                               const float* __restrict__ distances,
                                               int trajectories) {
#pragma unroll
  for (int pair = 0; pair < kPairs; ++pair) {
    y[pair] = __expf(-0.2f - distances[pair * trajectories]);
  }
}

__global__ void __launch_bounds__(128)
    surface_energies(const float* __restrict__ distances, float* __restrict__ energies,
                     int trajectories, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= trajectories) return;
  for (int step = 0; step < steps; ++step) {
    float y[kPairs];
    load_variables(y, distances + step * kPairs * trajectories + i, trajectories);
    float energy = 40.0f + part_of<0>(y);
    energy += part_of<1>(y);
    energy += part_of<2>(y);
    energy += part_of<3>(y);
    energies[step * trajectories + i] = energy;
  }
}
