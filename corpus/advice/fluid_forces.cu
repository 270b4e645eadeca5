// Forces in a fluid of particles (smoothed particle hydrodynamics): what the particles of a cell
// and of its neighbourhood, which the block has in shared memory, do to each particle of the cell,
// by pressure. Only those within reach count; the pressure fades to nothing at its end.

constexpr int kThreads = 128;

struct alignas(16) Particle {
  float x, y, z, pressure;
};

struct Fluid {
  float reach, stiffness;
};

__global__ void __launch_bounds__(kThreads)
    fluid_forces(const Particle* __restrict__ particles, const int* __restrict__ neighbourhoods,
                 float4* __restrict__ forces, Fluid fluid, int per_cell) {
  __shared__ Particle around[kThreads];
  int own = blockIdx.x * kThreads + threadIdx.x;
  Particle me = particles[own];
  float fx = 0, fy = 0, fz = 0, contacts = 0;

  for (int part = 0; part < per_cell; ++part) {
    int cell = neighbourhoods[blockIdx.x * per_cell + part];
    around[threadIdx.x] = particles[cell * kThreads + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < kThreads; ++k) {
      Particle other = around[k];
      float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
      float squared = dx * dx + dy * dy + dz * dz + 1e-6f;
      if (squared < fluid.reach * fluid.reach) {
        float inverse = rsqrtf(squared);
        float inside = fluid.reach - squared * inverse;
        float push = fluid.stiffness * (me.pressure + other.pressure) * inside * inside * inverse;
        fx += push * dx;
        fy += push * dy;
        fz += push * dz;
        contacts += inside;
      }
    }
    __syncthreads();
  }
  forces[own] = {fx, fy, fz, contacts};
}
