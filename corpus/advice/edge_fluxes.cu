// Fluxes of a compressible gas on an unstructured mesh of tetrahedra: each thread sums what flows
// into its cell through the four faces. Neighbours beyond the mesh stand for walls, and for the far
// field beyond these. The state of a cell is kept in five arrays, one after the other.

constexpr int kFaces = 4;
constexpr float kGamma = 1.4f;

struct State {
  float density, energy;
  float3 momentum;
};

struct Far {
  State state;
  float pressure;
};

__device__ __forceinline__ State load_state(const float* __restrict__ states, int cells, int i) {
  State state;
  state.density = states[i] + 1.0f;
  state.momentum = {states[cells + i], states[2 * cells + i], states[3 * cells + i]};
  state.energy = states[4 * cells + i] + 4.0f;
  return state;
}

__device__ __forceinline__ float3 load_normal(const float* __restrict__ normals, int cells,
                                              int face, int i) {
  const float* entry = normals + 3 * face * cells + i;
  return {entry[0], entry[cells], entry[2 * cells]};
}

__device__ __forceinline__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ __forceinline__ float pressure_of(const State& s) {
  return (kGamma - 1.0f) * (s.energy - __fdividef(0.5f * dot(s.momentum, s.momentum), s.density));
}

// Adds the mean of the fluxes on both sides, damped by the fastest wave.
__device__ __forceinline__ void add_face(State& sum, const State& a, float pa, const State& b,
                                         float pb, float3 normal) {
  float through_a = __fdividef(dot(a.momentum, normal), a.density);
  float through_b = __fdividef(dot(b.momentum, normal), b.density);
  float squared = __fdividef(kGamma * (pa + pb), a.density + b.density);
  float sound = squared * rsqrtf(squared);
  float wave = 0.5f * fabsf(through_a + through_b) + sound;
  float pressure = 0.5f * (pa + pb);
  sum.density +=
      0.5f * (a.density * through_a + b.density * through_b) + wave * (b.density - a.density);
  sum.energy += 0.5f * ((a.energy + pa) * through_a + (b.energy + pb) * through_b) +
                wave * (b.energy - a.energy);
  sum.momentum.x += 0.5f * (a.momentum.x * through_a + b.momentum.x * through_b) +
                    pressure * normal.x + wave * (b.momentum.x - a.momentum.x);
  sum.momentum.y += 0.5f * (a.momentum.y * through_a + b.momentum.y * through_b) +
                    pressure * normal.y + wave * (b.momentum.y - a.momentum.y);
  sum.momentum.z += 0.5f * (a.momentum.z * through_a + b.momentum.z * through_b) +
                    pressure * normal.z + wave * (b.momentum.z - a.momentum.z);
}

__global__ void __launch_bounds__(192)
    edge_fluxes(const float* __restrict__ states, const int* __restrict__ neighbours,
                const float* __restrict__ normals, float* __restrict__ fluxes, int cells, int walls,
                Far far) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) {
    State own = load_state(states, cells, i), sum = {};
    float pressure = pressure_of(own);
#pragma unroll
    for (int face = 0; face < kFaces; ++face) {
      int other = neighbours[face * cells + i];
      float3 normal = load_normal(normals, cells, face, i);
      if (other < cells) {
        State state = load_state(states, cells, other);
        add_face(sum, own, pressure, state, pressure_of(state), normal);
      } else if (other < cells + walls) {
        sum.momentum.x += pressure * normal.x;
        sum.momentum.y += pressure * normal.y;
        sum.momentum.z += pressure * normal.z;
      } else {
        add_face(sum, own, pressure, far.state, far.pressure, normal);
      }
    }
    fluxes[i] = sum.density;
    fluxes[cells + i] = sum.momentum.x;
    fluxes[2 * cells + i] = sum.momentum.y;
    fluxes[3 * cells + i] = sum.momentum.z;
    fluxes[4 * cells + i] = sum.energy;
  }
}
