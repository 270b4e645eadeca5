// Kepler's equation solved by Newton's method for many bodies in turn, and the bodies' pull summed:
// a thread per observer.

__global__ void kepler_orbits(const float* __restrict__ anomalies, const float* __restrict__ masses,
                              float* __restrict__ pulls, int observers, int bodies) {
  int observer = blockIdx.x * blockDim.x + threadIdx.x;
  if (observer >= observers) return;
  float eccentricity = 0.1f + 0.2f * static_cast<float>(observer) / static_cast<float>(observers);
  float pull = 0;
  float next = anomalies[observer];

  for (int body = 0; body < bodies; ++body) {
    float mean = next;
    int following = body + 1 < bodies ? body + 1 : body;
    next = anomalies[following * observers + observer];

    float angle = mean;
    float change = 1.0f;
    int rounds = 0;
    while (fabsf(change) > 1e-5f && rounds < 6) {
      float sine = __sinf(angle);
      float cosine = __cosf(angle);
      float error = angle - eccentricity * sine - mean;
      change = __fdividef(error, 1.0f - eccentricity * cosine);
      angle -= change;
      ++rounds;
    }

    float radius = 1.0f - eccentricity * __cosf(angle);
    float mass = masses[body * observers + observer];
    pull += mass * __fdividef(1.0f, radius * radius);
  }
  pulls[observer] = pull;
}
