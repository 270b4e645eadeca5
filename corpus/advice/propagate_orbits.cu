// Satellites on their ways around the Earth, whose flattening turns the orbits, and through thin
// air: positions and velocities after some steps of Runge and Kutta's method, a thread each.

struct Vector {
  float x, y, z;
};

__device__ __forceinline__ Vector plus(Vector a, float s, Vector b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

struct State {
  Vector place, speed;
};

// In units of the Earth's radius and of the time in which its gravity is one.
__device__ __forceinline__ Vector acceleration(const State& s, float drag) {
  constexpr float kFlattening = 1.5f * 1.08263e-3f;
  float inverse = rsqrtf(s.place.x * s.place.x + s.place.y * s.place.y + s.place.z * s.place.z);
  float squared = inverse * inverse;
  float pull = -inverse * squared;
  float polar = 5.0f * s.place.z * s.place.z * squared;
  float bulge = kFlattening * squared;
  float level = pull * (1.0f + bulge * (1.0f - polar));
  float upright = pull * (1.0f + bulge * (3.0f - polar));
  return {level * s.place.x - drag * s.speed.x, level * s.place.y - drag * s.speed.y,
          upright * s.place.z - drag * s.speed.z};
}

__device__ __forceinline__ State moved(const State& s, float dt, const Vector& speed,
                                       const Vector& change) {
  return {plus(s.place, dt, speed), plus(s.speed, dt, change)};
}

__global__ void propagate_orbits(const float* __restrict__ elements, State* __restrict__ states,
                                 int count, int steps, float dt, float drag) {
  int satellite = blockIdx.x * blockDim.x + threadIdx.x;
  if (satellite >= count) return;
  float radius = 1.05f + 0.3f * elements[satellite];
  float tilt = 1.5f * elements[satellite + count];
  float speed = rsqrtf(radius);
  State s = {{radius, 0.0f, 0.0f}, {0.0f, speed * __cosf(tilt), speed * __sinf(tilt)}};

  for (int step = 0; step < steps; ++step) {
    Vector first = acceleration(s, drag);
    State second_at = moved(s, 0.5f * dt, s.speed, first);
    Vector second = acceleration(second_at, drag);
    State third_at = moved(s, 0.5f * dt, second_at.speed, second);
    Vector third = acceleration(third_at, drag);
    State fourth_at = moved(s, dt, third_at.speed, third);
    Vector fourth = acceleration(fourth_at, drag);
    Vector drift = plus(plus(s.speed, 2.0f, plus(second_at.speed, 1.0f, third_at.speed)), 1.0f,
                        fourth_at.speed);
    Vector kick = plus(plus(first, 2.0f, plus(second, 1.0f, third)), 1.0f, fourth);
    s = moved(s, dt / 6.0f, drift, kick);
  }
  states[satellite] = s;
}
