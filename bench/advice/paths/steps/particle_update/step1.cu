// One time step of particles stored as an array of structures; they bounce off the walls of the unit cube.
// Each thread moves its structure with accesses of 16 bytes.
struct __align__(16) Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    float radius;
};

extern "C" __global__ void particle_update(Particle *particles, int n, float dt, float gravity) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 *p = reinterpret_cast<float4 *>(particles + i);
    float4 a = p[0]; // x y z vx
    float4 b = p[1]; // vy vz mass radius
    b.y -= gravity * dt;
    a.x += a.w * dt;
    a.y += b.x * dt;
    a.z += b.y * dt;
    if (a.x < 0.0f || a.x > 1.0f)
        a.w = -a.w;
    if (a.y < 0.0f || a.y > 1.0f)
        b.x = -b.x;
    if (a.z < 0.0f || a.z > 1.0f)
        b.y = -b.y;
    p[0] = a;
    p[1] = b;
}
