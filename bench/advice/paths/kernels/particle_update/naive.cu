// One time step of particles stored as an array of structures; they bounce off the walls of the unit cube.
struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    float radius;
};

extern "C" __global__ void particle_update(Particle *particles, int n, float dt, float gravity) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particles[i].vz -= gravity * dt;
    particles[i].x += particles[i].vx * dt;
    particles[i].y += particles[i].vy * dt;
    particles[i].z += particles[i].vz * dt;
    if (particles[i].x < 0.0f || particles[i].x > 1.0f)
        particles[i].vx = -particles[i].vx;
    if (particles[i].y < 0.0f || particles[i].y > 1.0f)
        particles[i].vy = -particles[i].vy;
    if (particles[i].z < 0.0f || particles[i].z > 1.0f)
        particles[i].vz = -particles[i].vz;
}
