// Particles as structures become one array per field; the particle moves by one time step.
struct Particle {
  float x, y, z, mass;
  float vx, vy, vz, charge;
};

__global__ void unpack_particles(const Particle* particles, float* fields, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Particle p = particles[i];
  fields[i] = p.x + dt * p.vx;
  fields[n + i] = p.y + dt * p.vy;
  fields[2 * n + i] = p.z + dt * p.vz;
  fields[3 * n + i] = p.vx;
  fields[4 * n + i] = p.vy;
  fields[5 * n + i] = p.vz;
  fields[6 * n + i] = p.mass;
  fields[7 * n + i] = p.charge;
}
