// A condensate of cold atoms in a trap: the half of a time step in which the potential and the
// atoms' repulsion turn the phase of the wave function, cell by cell (the equation of Gross and
// Pitaevskii, split into steps). Absorbing walls take away what comes near the border. Cells lie
// in rows along x, rows in planes along y, and planes along z.

struct Trap {
  int width, height, depth;
  float step;       // of time
  float repulsion;  // of the atoms
  float wall;       // thickness of the absorbing layer, in cells
};

__device__ __forceinline__ float kept(int place, int size, const Trap& trap) {
  float inside = min(place, size - 1 - place) + 1.0f;
  return __saturatef(0.9f + __fdividef(0.1f * inside, trap.wall));
}

__device__ __forceinline__ float2 turned(const float2& wave, float potential, const Trap& trap) {
  float density = wave.x * wave.x + wave.y * wave.y;
  float phase = -trap.step * (potential + trap.repulsion * density);
  float sine, cosine;
  __sincosf(phase, &sine, &cosine);
  return {cosine * wave.x - sine * wave.y, cosine * wave.y + sine * wave.x};
}

__global__ void __launch_bounds__(256)
    condensate_phases(const float2* __restrict__ waves, const float* __restrict__ potentials,
                      float2* __restrict__ next, Trap trap) {
  int z = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  int x = blockIdx.z * blockDim.y + threadIdx.y;
  if (x >= trap.width || y >= trap.height || z >= trap.depth) return;

  int cell = (z * trap.height + y) * trap.width + x;
  float2 wave = turned(waves[cell], potentials[cell], trap);
  float left = kept(x, trap.width, trap) * kept(y, trap.height, trap) * kept(z, trap.depth, trap);
  next[cell] = {left * wave.x, left * wave.y};
}
