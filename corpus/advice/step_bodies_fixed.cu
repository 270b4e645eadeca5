// One step of rigid bodies in flight: position, velocity, attitude (a quaternion) and spin are
// brought forward one after the other, in place.

__global__ void step_bodies(float4* positions, float4* velocities, float4* attitudes, float4* spins,
                            float4* torques, int count, float dt, float gravity, float drag) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    float4 velocity = velocities[i];
    float4 position = positions[i];
    float4 spin = spins[i];
    float4 torque = torques[i];
    float4 q = attitudes[i];
    float slow = 1.0f - dt * drag;
    velocity.x *= slow;
    velocity.y *= slow;
    velocity.z = velocity.z * slow - dt * gravity;
    velocities[i] = velocity;

    position.x += dt * velocity.x;
    position.y += dt * velocity.y;
    position.z += dt * velocity.z;
    positions[i] = position;

    spin.x += dt * (torque.x + 0.2f * spin.y * spin.z);
    spin.y += dt * (torque.y - 0.1f * spin.x * spin.z);
    spin.z += dt * (torque.z - 0.1f * spin.x * spin.y);
    spins[i] = spin;

    float h = 0.5f * dt;
    float4 turned;
    turned.w = q.w - h * (q.x * spin.x + q.y * spin.y + q.z * spin.z);
    turned.x = q.x + h * (q.w * spin.x + q.y * spin.z - q.z * spin.y);
    turned.y = q.y + h * (q.w * spin.y + q.z * spin.x - q.x * spin.z);
    turned.z = q.z + h * (q.w * spin.z + q.x * spin.y - q.y * spin.x);
    float norm = turned.x * turned.x + turned.y * turned.y + turned.z * turned.z;
    float scale = rsqrtf(norm + turned.w * turned.w + 1e-12f);
    attitudes[i] =
        make_float4(turned.x * scale, turned.y * scale, turned.z * scale, turned.w * scale);
  }
}
