// Neurons that are driven by inputs of their own: the equations of FitzHugh and Nagumo with a
// synaptic current, integrated in small steps. Three of the constants are times.

__global__ void fire_neurons(float* __restrict__ voltages, float* __restrict__ recoveries,
                             float* __restrict__ rates, const float* __restrict__ drives, int count,
                             int steps, float dt, float membrane, float recovery, float synapse,
                             float resistance) {
  int neuron = blockIdx.x * blockDim.x + threadIdx.x;
  if (neuron >= count) return;
  float v = voltages[neuron] - 0.5f;
  float w = recoveries[neuron] - 0.5f;
  float drive = 8.0f * drives[neuron];
  float current = 0;
  bool above = v > 1.0f;
  int fired = 0;

  for (int step = 0; step < steps; ++step) {
    float phase = static_cast<float>(step & 63) * (1.0f / 64.0f);
    float input = drive * phase * (1.0f - phase);
    current += dt * (input - current / synapse);
    float slope = v - v * v * v * 0.3333333f - w;
    v += dt * (slope + current / resistance) / membrane;
    w += dt * (v + 0.7f - 0.8f * w) / recovery;

    bool now = v > 1.0f;
    if (now && !above) ++fired;
    above = now;
  }

  voltages[neuron] = v;
  recoveries[neuron] = w;
  rates[neuron] = static_cast<float>(fired) / (dt * static_cast<float>(steps));
}
