// Combustion in the cells of a flow solver: a one-step reaction of fuel and oxygen with heat
// release, integrated over the flow's time step with substeps that adapt to how fast the fuel
// burns. Each cell is independent and takes as many substeps as it needs.

struct Mixture {
  float fuel, oxygen, temperature;
};

struct Chemistry {
  float factor, activation;  // of Arrhenius' law
  float heat;                // K per unit of fuel
  float stoichiometry;       // oxygen per fuel
  float time, tolerance;
};

__device__ __forceinline__ float rate_of(const Mixture& m, const Chemistry& c) {
  float speed = c.factor * expf(-c.activation / m.temperature);
  return speed * fmaxf(m.fuel, 0.0f) * sqrtf(fmaxf(m.oxygen, 0.0f));
}

__device__ __forceinline__ Mixture burnt(const Mixture& m, float amount, const Chemistry& c) {
  return {m.fuel - amount, m.oxygen - c.stoichiometry * amount, m.temperature + c.heat * amount};
}

__global__ void ignite_cells(const float* __restrict__ states, float* __restrict__ results,
                             int* __restrict__ substeps, int cells, Chemistry chemistry) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  Mixture now = {0.05f + 0.05f * states[i], 0.2f + 0.1f * states[cells + i],
                 1200.0f + 600.0f * states[2 * cells + i]};
  float time = 0, step = chemistry.time / 64;
  int count = 0;
  while (time < chemistry.time && count < 512) {
    // A second-order step against a first-order one estimates the error.
    float first = rate_of(now, chemistry);
    float second = rate_of(burnt(now, step * first, chemistry), chemistry);
    float amount = 0.5f * step * (first + second);
    float error = 0.5f * step * fabsf(second - first) / (now.fuel + 1e-6f);
    if (error < chemistry.tolerance) {
      now = burnt(now, fminf(amount, now.fuel), chemistry);
      time += step;
    }
    float factor = 0.9f * sqrtf(chemistry.tolerance / (error + 1e-12f));
    step = fminf(step * fminf(fmaxf(factor, 0.2f), 1.5f), chemistry.time / 32);
    ++count;
  }
  results[i] = now.fuel;
  results[cells + i] = now.oxygen;
  results[2 * cells + i] = now.temperature;
  substeps[i] = count;
}
