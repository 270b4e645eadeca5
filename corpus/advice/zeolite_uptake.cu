// How readily a gas is taken up by the pores of a zeolite (Widom's test insertions): a molecule is
// tried at random places of the periodic cell of the crystal; its Lennard-Jones energy among the
// atoms there gives the Boltzmann factor of the place.

__device__ __forceinline__ float shortest(float way, float cell) {
  return (way - rintf(way)) * cell;
}

__device__ __forceinline__ float pair_energy(float ratio) {
  float sixth = powf(ratio, 6.0f);
  float twelfth = powf(ratio, 12.0f);
  return 4.0f * (twelfth - sixth);
}

__global__ void zeolite_uptake(const float4* __restrict__ atoms, const float4* __restrict__ trials,
                               float* __restrict__ factors, int atom_count, int trial_count,
                               float cell, float strength) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= trial_count) return;
  float4 trial = trials[t];

  float energy = 0.0f;
  for (int k = 0; k < atom_count; ++k) {
    float4 atom = atoms[k];
    float dx = shortest(trial.x - atom.x, cell);
    float dy = shortest(trial.y - atom.y, cell);
    float dz = shortest(trial.z - atom.z, cell);
    float square = fmaxf(dx * dx + dy * dy + dz * dz, 1.0f);
    float size = 1.8f + 0.4f * atom.w;
    energy += pair_energy(size * rsqrtf(square));
  }

  // Whoever stands inside an atom has no weight worth telling.
  factors[t] = __expf(-fminf(strength * energy, 60.0f));
}
