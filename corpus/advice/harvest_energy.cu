// The energy that solar panels yield in a series of hours. The current of a panel at its voltage
// follows from the diode equation, which holds the current on both sides and is solved with
// Newton's method; the current of the hour before is the first guess.

struct Diode {
  float voltage;     // at which the panels work
  float photo;       // amperes in full sunshine
  float saturation;  // amperes
  float series;      // ohms
  float thermal;     // volts, of all cells of a panel
};

__device__ float solve_current(const Diode& diode, float light, float guess) {
  float current = guess;
  for (int k = 0; k < 16; ++k) {
    float grown =
        diode.saturation * __expf(__fdividef(diode.voltage + current * diode.series, diode.thermal));
    float excess = light - grown + diode.saturation - current;
    float slope = 1.0f + __fdividef(grown * diode.series, diode.thermal);
    float step = __fdividef(excess, slope);
    current += step;
    if (fabsf(step) < 1e-4f) break;
  }
  return current;
}

__global__ void harvest_energy(const float* __restrict__ sunshine, float* __restrict__ energies,
                               int panels, int hours, Diode diode) {
  int panel = blockIdx.x * blockDim.x + threadIdx.x;
  if (panel >= panels) return;

  float energy = 0.0f;
  float current = 0.0f;
  for (int hour = 0; hour < hours; ++hour) {
    float light = diode.photo * sunshine[static_cast<size_t>(hour) * panels + panel];
    current = solve_current(diode, light, current);
    energy += fmaxf(current, 0.0f) * diode.voltage;
  }
  energies[panel] = energy * 1e-3f;
}
